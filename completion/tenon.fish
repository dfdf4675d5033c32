# Fish completion for tenon. Commands and options come from its --help, names of ops from `tenon ops`.

function __tenon_commands
    tenon --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\)  *\(.*\)/\1\t\2/p'
end

function __tenon_options
    set -l words (commandline -opc)
    test (count $words) -ge 2; or return
    tenon $words[2] --help 2>/dev/null | sed -n 's/^ *\(--[a-z-]*\)[A-Z= ]*  *\(.*\)/\1\t\2/p'
end

function __tenon_ops
    tenon ops 2>/dev/null | string replace -r ' .*' ''
end

complete -c tenon -n __fish_use_subcommand -f -a '(__tenon_commands)'
complete -c tenon -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__tenon_options)'
complete -c tenon -n '__fish_seen_subcommand_from ops' -f -a '(__tenon_ops)'
complete -c tenon -n '__fish_seen_subcommand_from run kernels check' -l op -x -a '(__tenon_ops)'
complete -c tenon -n '__fish_seen_subcommand_from check' -l not-op -x -a '(__tenon_ops)'
complete -c tenon -n '__fish_seen_subcommand_from new; and test (count (commandline -opc)) -eq 2' -f -a 'op device'
complete -c tenon -n '__fish_seen_subcommand_from run ops kernels devices' -l plugin -r -F
complete -c tenon -n '__fish_seen_subcommand_from check' -l face -x -a 'pjrt kernels devices'
complete -c tenon -n '__fish_seen_subcommand_from check' -l only -x -a '(tenon check --list 2>/dev/null | string replace -r ":.*" "")'
