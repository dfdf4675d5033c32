// tenon-probe: loads one plugin on behalf of another process, so that only this one can die of it.
#include "host/plugin.h"

int main(int argc, char** argv) { tn_probe_main(argc, argv); }
