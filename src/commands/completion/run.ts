import { printing } from '../printing.ts'
import type { ShownCommand, ShownValue, WordKind } from '../program.ts'

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

/** What can stand where a word is being typed. */
interface Candidates {
  /** Files or folders can; `word`: neither. */
  readonly place: WordKind
  readonly words: readonly (readonly [word: string, help: string])[]
}

/** What can be typed in place of the last of the words after `posthaul`, which may have begun. bash splits `--in=raw` into three. */
function candidates(root: ShownCommand, typed: readonly string[]): Candidates {
  const words = typed.flatMap(
    (word) => /^(--[^=]+)=(.*)$/s.exec(word)?.slice(1) ?? (word === '=' ? [] : [word]),
  )
  // Nothing is typed yet after `--in=`.
  if (typed.at(-1) === '=') words.push('')
  const begun = words.pop() ?? ''
  const { command, option, values } = placeOf(root, words)
  const found = answers(command, begun.startsWith('-'), values === 0 || option?.several ? option : undefined)
  return { ...found, words: found.words.filter(([word]) => word.startsWith(begun)) }
}

/** The command that the words lead to, the option whose values come now, and how many of them there are. */
function placeOf(root: ShownCommand, words: readonly string[]) {
  let [command, option, values]: [ShownCommand, ShownValue | undefined, number] = [root, undefined, 0]
  for (const word of words) {
    const next = command.commands.find(({ path }) => path.at(-1) === word)
    if (word.startsWith('-')) {
      option = command.options.find(({ flag, short }) => word === flag || word === short)?.value
      values = 0
    } else if (next) [command, option] = [next, undefined]
    else if (word !== 'help' || command !== root) values++
  }
  return { command, option, values }
}

function answers(command: ShownCommand, isOption: boolean, value: ShownValue | undefined): Candidates {
  const options = command.options.flatMap(({ flag, short, help }) =>
    [flag, short].flatMap((name) => (name ? [[name, withoutNotes(help)] as const] : [])),
  )
  if (isOption) return { place: 'word', words: options }
  if (value) return { place: value.kind, words: value.choices.map((word) => [word, '']) }
  const words = [
    ...command.commands.map(({ path, summary }) => [path.at(-1)!, summary] as const),
    ...(command.path.length === 0 ? [['help', 'show help for a command'] as const] : []),
    ...command.args.flatMap(({ choices }) => choices.map((word) => [word, ''] as const)),
  ]
  const place = command.args.find(({ kind }) => kind !== 'word')?.kind ?? 'word'
  return { place, words: words.length === 0 && place === 'word' ? options : words }
}

/** The help of an option without the choices, the default and the variable that its last brackets name. */
function withoutNotes(help: string): string {
  return help.replace(/ \([^()]*\)$/, '')
}
