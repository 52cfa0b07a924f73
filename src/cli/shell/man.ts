import { EXITS } from '../../errors.ts'
import { VERSION } from '../../version.ts'
import { allOf, type ShownCommand, type ShownOption } from './tree.ts'

/** A page of the manual: its name, such as `posthaul-import`, and its text in roff, by the macros of man(7). */
export interface ManPage {
  readonly name: string
  readonly text: string
}

/** The page of posthaul, and one for each command. */
export function manPages(root: ShownCommand): ManPage[] {
  return allOf(root).map((command) => ({ name: nameOf(command), text: pageOf(command, root) }))
}

function pageOf(command: ShownCommand, root: ShownCommand): string {
  const { path, summary, options, commands, notes } = command
  const name = nameOf(command)
  const words = [
    ...commands.slice(0, 1).map(() => '\\fIcommand\\fR'),
    ...(options.length > 0 ? ['[\\fIoptions\\fR]'] : []),
    ...command.args.map(({ name: arg, several, required }) => {
      const shown = `\\fI${text(arg)}\\fR${several ? ' ...' : ''}`
      return required ? shown : `[${shown}]`
    }),
  ]
  const sections = [
    ['NAME', `${text(name)} \\- ${text(summary)}`],
    ['SYNOPSIS', `.B ${text(['posthaul', ...path].join(' '))}\n${words.join(' ')}`],
    ['COMMANDS', commands.map(commandItem).join('\n')],
    ['OPTIONS', options.map(optionItem).join('\n')],
    ['NOTES', prose(notes)],
    ['EXIT STATUS', path.length === 0 ? '' : exitStatus()],
    ['SEE ALSO', seeAlso(command, root)],
  ] as const
  return [
    `.TH ${text(name).toUpperCase()} 1 "" "posthaul ${VERSION}" "posthaul"`,
    // Words are not broken: an option that is cut in two can't be copied.
    '.nh\n.ad l',
    ...sections.filter(([, body]) => body !== '').map(([title, body]) => `.SH ${title}\n${body}`),
    '',
  ].join('\n')
}

function nameOf({ path }: ShownCommand): string {
  return ['posthaul', ...path].join('-')
}

function commandItem({ path, summary }: ShownCommand): string {
  return item(`.B ${text(path.at(-1)!)}`, summary)
}

function optionItem({ flag, short, help, value }: ShownOption): string {
  const names = [short, flag].filter((name) => name !== undefined).map((name) => `\\fB${text(name)}\\fR`)
  const shown = value ? ` \\fI${text(value.name)}\\fR` : ''
  return item(`${names.join(', ')}${shown}`, help)
}

function exitStatus(): string {
  return Object.values(EXITS)
    .map(({ code, meaning }) => item(`.B ${code}`, meaning.replaceAll('`', '')))
    .join('\n')
}

function item(term: string, meaning: string): string {
  return `.TP\n${term}\n${line(meaning)}`
}

/** What comes next to it in the tree. */
function seeAlso(command: ShownCommand, root: ShownCommand): string {
  const { path, commands } = command
  const above = allOf(root).find((one) => one.commands.includes(command))
  const others = [...(above ? [above, ...above.commands] : []), ...commands].filter((one) => one !== command)
  const depth = others.filter((one) => one.path.length <= Math.max(1, path.length))
  return depth.map((one) => `.BR ${text(nameOf(one))} (1)`).join(' ,\n')
}

/** Help as roff: what is indented keeps its lines, all else is filled. */
function prose(notes: string): string {
  const lines = notes.split('\n').map((one) => {
    if (one === '') return '.PP'
    return one.startsWith(' ') ? `.nf\n${line(one)}\n.fi` : line(one)
  })
  return lines.join('\n').replaceAll('\n.fi\n.nf\n', '\n')
}

/** A line of text: one that begins with a dot or a quote would be a request. */
function line(plain: string): string {
  return text(plain).replace(/^(?=[.'])/, '\\&')
}

/** A minus that is typed is not the hyphen of a word, and letters beyond ASCII are named by their number. */
function text(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(
      /[^\n -~]/gu,
      (letter) => `\\[u${letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
}
