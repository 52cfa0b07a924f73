import { printing } from '../printing.ts'
import { candidates } from './candidates.ts'

/** The words after `posthaul`, between U+001F, the last being typed: set by the scripts when they ask what it can be. */
const TYPED = 'POSTHAUL_COMPLETE'

/*
 * The answer is a line with `file`, `folder` or `word`, and a line for each word: the word, a tab, its help. bash is any from 3.2
 * on, which macOS has.
 */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: String.raw`_posthaul() {
  local IFS=$'\x1f' place word cur=${'$'}{COMP_WORDS[COMP_CWORD]}
  local typed="${'$'}{COMP_WORDS[*]:1:COMP_CWORD}"
  IFS=$'\n'
  COMPREPLY=()
  [[ $cur == = ]] && cur=
  {
    read -r place
    while IFS=$'\t' read -r word _; do
      printf -v word %q "$word"
      COMPREPLY+=("$word")
    done
  } < <(POSTHAUL_COMPLETE=$typed posthaul completion bash 2> /dev/null)
  case $place in
    file) COMPREPLY+=($(compgen -f -- "$cur")) ;;
    folder) COMPREPLY+=($(compgen -d -- "$cur")) ;;
    *) return ;;
  esac
  compopt -o filenames 2> /dev/null
}
complete -F _posthaul posthaul
`,
  zsh: String.raw`#compdef posthaul
_posthaul() {
  local -a found=("${'$'}{(@f)$(POSTHAUL_COMPLETE=${'$'}{(pj:\x1f:)words[2,CURRENT]} posthaul completion zsh 2> /dev/null)}")
  local place=$found[1]
  found=(${'$'}{${'$'}{found[2,-1]//:/\\:}/$'\t'/:})
  [[ $PREFIX == -*=* ]] && compset -P '*='
  (($#found)) && _describe posthaul found
  case $place in
    file) _files ;;
    folder) _files -/ ;;
  esac
}
if [[ $funcstack[1] == _posthaul ]]; then _posthaul "$@"; else compdef _posthaul posthaul; fi
`,
  fish: String.raw`function __posthaul_complete
    set -l typed (commandline -opc)[2..] (commandline -ct)
    set -l found (POSTHAUL_COMPLETE=(string join \x1f -- $typed) posthaul completion fish 2> /dev/null)
    printf '%s\n' $found[2..]
    switch "$found[1]"
        case file
            __fish_complete_path (commandline -ct)
        case folder
            __fish_complete_directories (commandline -ct)
    end
end
complete -c posthaul -e
complete -c posthaul -f -a '(__posthaul_complete)'
`,
}

export const completion = printing<readonly []>(async ({ args: [shell], program }, world) => {
  const typed = world.env[TYPED]
  if (typed === undefined) return void world.stdout.write(SCRIPTS[shell!]!)
  const words = typed.split('\x1f')
  const found = candidates(await program!(), words)
  // fish compares with all of `--preset=mix`, the others with what comes after the sign.
  const before = shell === 'fish' ? (/^--[^=]+=/.exec(words.at(-1)!)?.[0] ?? '') : ''
  world.stdout.write([found.place, ...found.words.map((word) => before + word.join('\t')), ''].join('\n'))
})
