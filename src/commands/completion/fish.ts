import { VERSION } from '../../version.ts'
import type { ShownCommand, ShownOption, ShownValue } from '../program.ts'
import { allOf, joined, withoutNotes } from './tree.ts'

/** A script for fish: a line an option, each on the condition that its command has been typed. */
export function fishCompletion(root: ShownCommand): string {
  const commands = allOf(root)
  const paths = commands.map(({ path }) => joined(path)).filter((path) => path !== '')
  return `# Completion of posthaul ${VERSION} for fish, printed by: posthaul completion fish
function __posthaul_at
    set -l path ''
    set -l words (commandline -opc)
    for word in $words[2..]
        contains -- "$path/$word" ${paths.join(' ')}
        and set path "$path/$word"
    end
    test "$path" = "$argv[1]"
end

complete -c posthaul -e
${commands.flatMap(linesOf).join('\n')}
`
}

function linesOf(command: ShownCommand): string[] {
  const { path, options, args, commands } = command
  const at = `complete -c posthaul -n ${quoted(`__posthaul_at ${joined(path) || "''"}`)}`
  // Without -f fish offers files wherever a word can be. An option of several places needs them after its first one.
  const isPlaces = options.some(({ value }) => value?.several && value.kind !== 'word')
  const hasFiles = isPlaces || args.some(({ kind }) => kind === 'file')
  return [
    ...(hasFiles ? [] : [`${at} -f`]),
    ...commands.map((one) => `${at} -a ${one.path.at(-1)} -d ${quoted(one.summary)}`),
    ...(path.length === 0 ? [`${at} -a help -d 'show help for a command'`] : []),
    ...args.filter((value) => value.kind !== 'file').map((value) => `${at}${offer(value)}`),
    ...options.map((option) => `${at}${optionWords(option)}`),
  ]
}

function optionWords({ flag, short, help, value }: ShownOption): string {
  const names = `${short ? ` -s ${short.slice(1)}` : ''} -l ${flag.slice(2)}`
  return `${names}${value ? ` ${value.kind === 'file' ? '-r -F' : '-x'}${offer(value)}` : ''} -d ${quoted(withoutNotes(help))}`
}

function offer({ kind, choices }: ShownValue): string {
  if (choices.length > 0) return ` -a ${quoted(choices.map((word) => word.replaceAll('$', '\\$')).join(' '))}`
  return kind === 'folder' ? " -a '(__fish_complete_directories)'" : ''
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}
