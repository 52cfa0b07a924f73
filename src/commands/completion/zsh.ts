import { VERSION } from '../../version.ts'
import type { ShownCommand, ShownOption, ShownValue } from '../program.ts'
import { allOf, quoted, withoutNotes } from './tree.ts'

/** A script for zsh: a function a command, by zsh's own `_arguments`. It serves in `fpath`, and sourced. */
export function zshCompletion(root: ShownCommand): string {
  return `#compdef posthaul
# Completion of posthaul ${VERSION} for zsh, printed by: posthaul completion zsh
${allOf(root).map(functionOf).join('\n')}
if [[ $funcstack[1] == _posthaul ]]; then
  _posthaul "$@"
else
  compdef _posthaul posthaul
fi
`
}

function functionOf(command: ShownCommand): string {
  const { path, options, commands } = command
  const specs = options.map(specOf)
  if (commands.length === 0) {
    return `${nameOf(path)}() {
  _arguments -s ${continued([...specs, ...restOf(command)])}
}
`
  }
  const own = commands.map((one) => `${one.path.at(-1)}:${one.summary}`)
  return `${nameOf(path)}() {
  local curcontext=$curcontext state line
  local -a commands=(
    ${[...own, 'help:show help for a command'].map(quoted).join('\n    ')}
  )
  _arguments -s -C ${continued([...specs, ':command:->command', '*:: :->words'])}
  case $state in
    command) _describe -t commands command commands ;;
    words)
      case $line[1] in
${commands.map((one) => `        ${one.path.at(-1)}) ${nameOf(one.path)} ;;`).join('\n')}
        help) ((CURRENT == 2)) && _describe -t commands command commands ;;
      esac
      ;;
  esac
}
`
}

function specOf({ flag, short, help, value }: ShownOption): string {
  const explained = `[${withoutNotes(help).replaceAll(/[\\\][]/g, '\\$&')}]`
  if (short !== undefined) return `(${flag} ${short})${flag}${explained}`
  if (value === undefined) return `${flag}${explained}`
  return `${value.several ? '*' : ''}${flag}=${explained}:${messageOf(value)}`
}

/** The words that belong to no option: the command's own, or the further ones of an option that takes several places. */
function restOf({ options, args }: ShownCommand): string[] {
  if (args.length > 0) return args.map((value) => `${value.several ? '*' : ''}:${messageOf(value)}`)
  const places = options.find(({ value }) => value?.several && value.kind !== 'word')?.value
  return places ? [`*:${messageOf(places)}`] : []
}

function messageOf(value: ShownValue): string {
  return `${value.name.replace('...', '')}:${actionOf(value)}`
}

function actionOf({ kind, choices }: ShownValue): string {
  if (choices.length > 0) return `(${choices.map((word) => word.replaceAll(/[$\\]/g, '\\$&')).join(' ')})`
  return { file: '_files', folder: '_files -/', word: ' ' }[kind]
}

function nameOf(path: readonly string[]): string {
  return ['_posthaul', ...path].join('_')
}

function continued(specs: readonly string[]): string {
  return specs.map((spec) => `\\\n    ${quoted(spec)}`).join(' ')
}
