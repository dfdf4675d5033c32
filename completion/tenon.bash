# Bash completion for tenon. Commands and options come from its --help, names of ops from `tenon ops`.

_tenon() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local tenon=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
  COMPREPLY=()

  if [ "$COMP_CWORD" -eq 1 ]; then
    local commands
    commands=$("$tenon" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$commands help --help --version" -- "$current")
    return
  fi
  case $before in
    --op | --not-op)
      mapfile -t COMPREPLY < <(compgen -W "$("$tenon" ops 2>/dev/null | sed 's/ .*//')" -- "$current")
      return
      ;;
    --face)
      mapfile -t COMPREPLY < <(compgen -W "pjrt kernels devices" -- "$current")
      return
      ;;
    --only)
      mapfile -t COMPREPLY < <(compgen -W "$("$tenon" check --list 2>/dev/null | sed 's/:.*//')" -- "$current")
      return
      ;;
    --plugin | --out | --folder | --data | --never | --for-now | --junit)
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      compopt -o filenames 2>/dev/null
      return
      ;;
  esac
  if [[ $current == -* ]]; then
    local options
    options=$("$tenon" "$command" --help 2>/dev/null | grep -o -E -- '^ +--[a-z-]+' | tr -d ' ')
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    return
  fi
  case $command in
    ops) mapfile -t COMPREPLY < <(compgen -W "$("$tenon" ops 2>/dev/null | sed 's/ .*//')" -- "$current") ;;
    new) [ "$COMP_CWORD" -eq 2 ] && mapfile -t COMPREPLY < <(compgen -W "op device" -- "$current") ;;
    *)
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      compopt -o filenames 2>/dev/null
      ;;
  esac
}
complete -F _tenon tenon
