import { alternatives, type Parse, trueOrFalse, type ValueRules } from './values.ts'

/** One option: its name in each source, how its text is read, and its help. */
export interface Row extends ValueRules {
  /** As help shows it: `--gzip`, `--lanes <n>`, `--in <path...>` for several. Without it no argument sets the option. */
  readonly flag?: `--${string}`
  /** Its letter, for options that every program has: `-v`. */
  readonly short?: `-${string}`
  /** The environment variable that sets it if no argument does. */
  readonly env?: string
  /** The config file's key that sets it if no variable does; dotted if it is nested. */
  readonly config?: string
  /** The default, written as a user would write it. */
  readonly default?: string
  /** For help: what happens without the option, if the default is not a single value. */
  readonly otherwise?: string
  /** Whether the command needs it. */
  readonly required?: true
  /** Whether an unexpected argument was most likely meant for this option. A hint then names it. */
  readonly bare?: boolean
  /**
   * Where help shows it, if `--help` alone does not: `seldom` by `--help --all`, `common` there and in `help common`, for
   * what many commands have and few users need.
   */
  readonly shown?: 'seldom' | 'common'
  readonly help: string
}

type Camel<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name

type Last<Key> = Key extends `${string}.${infer Rest}` ? Last<Rest> : Key

/** The name of a row's value: `maxEvents` for `--max-events <n>`; without a flag the end of its config key, `drain` of `import.drain`. */
type NameOf<R> = R extends { flag: `--${infer Flag}` }
  ? Camel<Flag extends `${infer Name} ${string}` ? Name : Flag>
  : R extends { config: infer Key }
    ? Last<Key>
    : never

type One<R> = R extends { choices: readonly (infer Word)[] }
  ? Word
  : R extends { parse: Parse<infer Value> }
    ? Value
    : string

type Always<R> = R extends { default: string } | { required: true } ? One<R> : One<R> | undefined

type ValueOf<R> = R extends { flag: `${string}...>` }
  ? readonly One<R>[]
  : R extends { flag: infer Flag }
    ? Flag extends `${string}>`
      ? Always<R>
      : boolean
    : Always<R>

/** The values of a command's rows, by name. */
export type Values<R extends readonly Row[]> = {
  readonly [Each in R[number] as NameOf<Each> & string]: ValueOf<Each>
}

/** Declares a row, and keeps the types of its parts. */
export function row<const R extends Row>(parts: R): R {
  return parts
}

/** The row of an option that a command needs. */
export function required<const R extends Row>(optional: R): R & { readonly required: true } {
  return { ...optional, required: true }
}

/** The row of an option that help shows by `--all` alone. */
export function seldom<const R extends Row>(often: R): R & { readonly shown: 'seldom' } {
  return { ...often, shown: 'seldom' }
}

/** The row without its flag: only the environment and the config file set it. */
export function withoutFlag<const R extends Row>({ flag: _, ...rest }: R): Omit<R, 'flag'> {
  return rest
}

/** The flag alone: `--lanes` of `--lanes <n>`. */
export function flagOf({ flag }: Row): string {
  return flag?.split(' ')[0] ?? ''
}

/** The name of the setting that has no flag: `drain` of `import.drain`. */
export function configName({ config = '' }: Row): string {
  return config.split('.').at(-1)!
}

/** Whether files write its value as true or false, with no quotes. */
export function isTrueOrFalse({ flag, parse }: Row): boolean {
  return flag === undefined ? parse === trueOrFalse : !flag.endsWith('>')
}

/** The help of a row: what it is for, and in brackets its choices, its default and its variable. */
export function helpOf({ help, choices, orFile, default: usual, otherwise, required, env }: Row): string {
  const notes = [
    required && 'required',
    choices && alternatives(orFile ? [...choices, 'the path of a file'] : choices),
    (usual ?? otherwise) !== undefined && `default: ${usual ?? otherwise}`,
    env && `env: ${env}`,
  ].filter((note) => typeof note === 'string')
  return notes.length > 0 ? `${help} (${notes.join('; ')})` : help
}

/** The variables of the environment. */
export type Env = Readonly<Record<string, string | undefined>>
