import type { z } from 'zod'
import type { ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import type { Row, Values } from '../options/row.ts'
import type { ValueOf } from '../result-parts.ts'
import type { ShownCommand } from './program.ts'

/** What a command is called with: the values of its options, where each came from, and its arguments. */
export interface Call<O extends readonly Row[]> extends Options<Values<O>> {
  readonly args: readonly string[]
  /** All commands with their options; absent where no command line is read. */
  readonly program?: () => Promise<ShownCommand>
}

/** A command, as the command line, help, completion, the docs, `run` and a program know it. */
interface Command<O extends readonly Row[], S extends z.ZodType> {
  /** What it takes without an option, the help of that, and the words that are allowed if not all are. */
  readonly argument?: readonly [name: string, help: string, choices?: readonly string[]]
  /** What help says after the options. */
  readonly help?: string
  readonly options: O
  /** Options of which at most one is given. */
  readonly oneOf?: readonly (readonly (keyof Values<O> & string)[])[]
  /** It can take long: it has the options that say where it tells how it goes. */
  readonly isReported?: true
  /** Its lines are the summary of a deed and go to standard error. Otherwise they are what it was asked for. */
  readonly isDeed?: true
  /** A dry run is asked for what it says: its lines go to standard output. */
  readonly tellsDry?: true
  /** Its result is records of people: no log has it. */
  readonly isPrivate?: true
  /** Loaded when the command runs, so that help waits for none of it. */
  work(): Promise<CommandWork<O, S>>
}

/** What a command does: a module that exports these. */
export interface CommandWork<O extends readonly Row[], S extends z.ZodType> {
  /** Of a result, which `--json` prints as it is. */
  readonly schema: S
  /** Yields results, each printed at once. It prints nothing itself but data, such as rows or a mapping file. */
  run(call: Call<O>, world: Io): AsyncIterable<ValueOf<S>>
  /** A result for a person, made of nothing but the result. */
  lines(result: ValueOf<S>, screen: Screen): readonly string[]
  /** `result`: the last one. 0 where it is absent. */
  exit?(result: ValueOf<S>, call: Call<O>): ExitCode
  /** The command line that is done next, of the last result; none if it is empty. In place of `next`. */
  follow?(result: ValueOf<S>, call: Call<O>, world: Io): readonly string[]
  /** What to do next, of the last result, as lines. A person is told with `--json`, too. */
  next?(result: ValueOf<S>, call: Call<O>, world: Io): readonly string[]
}

/** What lines are made for. */
export interface Screen {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** Any command; its work is held against its options by `describe`. */
export interface AnyCommand extends Omit<Command<readonly Row[], z.ZodType>, 'oneOf'> {
  readonly oneOf?: readonly (readonly string[])[]
}

/** A command that only has commands of its own: `groups list`. */
export interface CommandGroup {
  readonly help?: string
  readonly commands: Readonly<Record<string, AnyCommand & { readonly summary: string }>>
}

/** Declares a command, and holds its work against its options. */
export function describe<const O extends readonly Row[], S extends z.ZodType>(
  parts: Command<O, S>,
): AnyCommand {
  return parts
}
