import type { ShownCommand, ShownValue, WordKind } from '../program.ts'

/** What can stand where a word is being typed. */
interface Candidates {
  /** Files or folders can; `word`: neither. */
  readonly place: WordKind
  readonly words: readonly (readonly [word: string, help: string])[]
}

/** What can be typed in place of the last of the words after `posthaul`, which may have begun. bash splits `--in=raw` into three. */
export function candidates(root: ShownCommand, typed: readonly string[]): Candidates {
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
