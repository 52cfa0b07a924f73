import { VERSION } from '../../version.ts'
import type { ShownCommand, ShownValue } from '../program.ts'
import { allOf, joined, quoted } from './tree.ts'

/*
 * A script that needs nothing but bash, from 3.2 on, which macOS has: it starts no process of posthaul's while a user
 * types. Words are compared in the script itself, because `compgen -W` would expand a choice such as `$groupidentify`.
 */
export function bashCompletion(root: ShownCommand): string {
  const commands = allOf(root)
  const steps = commands.flatMap(({ path }) => {
    return path.length === 0 ? [] : [quoted(`${joined(path.slice(0, -1))} ${path.at(-1)}`)]
  })
  return `# Completion of posthaul ${VERSION} for bash, printed by: posthaul completion bash
_posthaul_words() {
  local word
  for word in "$@"; do
    [[ $word == "$cur"* ]] || continue
    printf -v word %q "$word"
    COMPREPLY+=("$word")
  done
}

_posthaul_places() {
  local word
  compopt -o filenames 2> /dev/null
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$1" -- "$cur")
}

_posthaul() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path= option= values=0 at word
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    case $word in
      -*) option=$word values=0 ;;
      =) ;;
      *)
        case "$path $word" in
          ' help') ;;
          ${alternatives(steps)}) path=$path/$word option= ;;
          *) values=$((values + 1)) ;;
        esac
        ;;
    esac
  done
  [[ $cur == = ]] && cur=
  if [[ $cur != -* ]]; then
    if ((values == 0)); then
      case "$path $option" in
${valueCases(commands, false)}
      esac
    fi
    case "$path $option" in
${valueCases(commands, true)}
    esac
  fi
  local options=() commands=() places=
  case $path in
${commands.map(placeCase).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    _posthaul_words "\${options[@]}"
  elif ((\${#commands[@]})); then
    _posthaul_words "\${commands[@]}"
  elif [[ -n $places ]]; then
    _posthaul_places "$places"
  else
    _posthaul_words "\${options[@]}"
  fi
}

complete -F _posthaul posthaul
`
}

/** The patterns of one case, each on a line of its own. */
function alternatives(patterns: readonly string[]): string {
  return patterns.join(' | \\\n          ')
}

/** The cases of options by what their values are. `several`: those that take more than one. */
function valueCases(commands: readonly ShownCommand[], several: boolean): string {
  const byAnswer = new Map<string, string[]>()
  for (const { path, options } of commands) {
    for (const { flag, value } of options) {
      if (value?.several !== several) continue
      const answer = answerTo(value)
      byAnswer.set(answer, [...(byAnswer.get(answer) ?? []), quoted(`${joined(path)} ${flag}`)])
    }
  }
  return [...byAnswer]
    .map(([answer, cases]) => `        ${alternatives(cases)}) ${answer}return ;;`)
    .join('\n')
}

function answerTo({ kind, choices }: ShownValue): string {
  if (choices.length > 0) return `_posthaul_words ${choices.map(quoted).join(' ')}; `
  return kind === 'word' ? '' : `_posthaul_places ${flagOf(kind)}; `
}

/** The names of places, for `compgen`. */
function flagOf(kind: 'file' | 'folder'): string {
  return kind === 'file' ? '-f' : '-d'
}

function placeCase({ path, options, commands, args }: ShownCommand): string {
  const place = args.find(({ kind }) => kind !== 'word')
  const words = args.flatMap(({ choices }) => choices)
  const flags = options.flatMap(({ flag, short }) => (short ? [flag, short] : [flag]))
  const next = [...commands.map((command) => command.path.at(-1)!), ...words]
  if (path.length === 0) next.push('help')
  return [
    `    ${quoted(joined(path))})`,
    `      options=(${flags.join(' ')})`,
    ...(next.length > 0 ? [`      commands=(${next.map(quoted).join(' ')})`] : []),
    ...(place && place.kind !== 'word' ? [`      places=${flagOf(place.kind)}`] : []),
    '      ;;',
  ].join('\n')
}
