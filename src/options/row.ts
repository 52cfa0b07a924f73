import { PosthaulError } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { type Parse, text as plainText } from './values.ts'

/** One option: what it is called in each source, how its text is read, and what help says of it. */
export interface Row {
  /** As help shows it: `--gzip`, `--lanes <n>`, `--in <path...>` for several. Without it no argument sets the option. */
  readonly flag?: `--${string}`
  /** The environment variable that sets it where no argument does. */
  readonly env?: string
  /** The config file's key that sets it where no variable does; dotted where it is nested. */
  readonly config?: string
  /** The words it may be. */
  readonly choices?: readonly string[]
  /** How its text is read, where it is not one of a few words. Default: as it is. */
  readonly parse?: Parse<unknown>
  /** The default, written as a user would write it. */
  readonly default?: string
  /** For help: what happens without the option, where the default is not one value. */
  readonly otherwise?: string
  /** Whether the command cannot do without it. */
  readonly required?: true
  /** Whether an argument that lacks its option is most likely meant for this one: a hint names it. */
  readonly bare?: boolean
  readonly help: string
}

type Camel<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name

/** The name of a row's value: `maxEvents` for `--max-events <n>`; the config key of a row without a flag. */
type NameOf<R> = R extends { flag: `--${infer Flag}` }
  ? Camel<Flag extends `${infer Name} ${string}` ? Name : Flag>
  : R extends { config: infer Key }
    ? Key
    : never

type One<R> = R extends { choices: readonly (infer Word)[] }
  ? Word
  : R extends { parse: Parse<infer Value> }
    ? Value
    : string

type ValueOf<R> = R extends { flag: `${string}...>` }
  ? readonly One<R>[]
  : R extends { flag: infer Flag }
    ? Flag extends `${string}>`
      ? R extends { default: string } | { required: true }
        ? One<R>
        : One<R> | undefined
      : boolean
    : One<R> | undefined

/** The values of a command's rows, by name. */
export type Values<R extends readonly Row[]> = {
  readonly [Each in R[number] as NameOf<Each> & string]: ValueOf<Each>
}

/** Declares a row, and keeps the types of its parts. */
export function row<const R extends Row>(parts: R): R {
  return parts
}

/** The row of an option that a command cannot do without. */
export function required<const R extends Row>(optional: R): R & { readonly required: true } {
  return { ...optional, required: true }
}

/** The row where only the environment and the config file set it. */
export function withoutFlag<const R extends Row>({ flag: _, ...rest }: R): Omit<R, 'flag'> {
  return rest
}

/** The flag alone: `--lanes` of `--lanes <n>`. */
export function flagOf({ flag }: Row): string {
  return flag?.split(' ')[0] ?? ''
}

/** Reads a row's text. A PosthaulError names the source and says what was expected. */
export function readText({ choices, parse = plainText }: Row, text: string, from: string): unknown {
  try {
    return choices ? wordOf(choices, text) : parse(text, from)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    // A key that was pasted into the wrong place must not be repeated: messages land in logs.
    const shown = /^ph[a-z]_/.test(text) ? 'a key' : `"${text}"`
    const hint = choices && hintOf(choices, text)
    throw new PosthaulError(`${from} is ${shown}: ${cause.message}`, {
      code: from.startsWith('--') ? 'usage' : 'config',
      ...(hint !== undefined && { hint }),
      cause,
    })
  }
}

/** What help says of a row: what it is for, and in brackets its choices, its default and its variable. */
export function helpOf({ help, choices, default: usual, otherwise, required, env }: Row): string {
  const notes = [
    required && 'required',
    choices && anyOf(choices),
    (usual ?? otherwise) !== undefined && `default: ${usual ?? otherwise}`,
    env && `env: ${env}`,
  ].filter((note) => typeof note === 'string')
  return notes.length > 0 ? `${help} (${notes.join('; ')})` : help
}

function wordOf(choices: readonly string[], text: string): string {
  if (choices.includes(text)) return text
  throw new RangeError(`expected ${anyOf(choices)}`)
}

function hintOf(choices: readonly string[], text: string): string | undefined {
  // A shell replaces an unquoted $name by nothing.
  const dollar = choices.find((word) => word.startsWith('$'))
  if (dollar !== undefined) return `quote it for the shell: '${dollar}'`
  const meant = nearest(text, choices)
  return meant === undefined ? undefined : `did you mean ${meant}?`
}

function anyOf(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
