import { z } from 'zod'
import type { Io } from '../io.ts'
import type { Row } from '../options/row.ts'
import type { Call, CommandWork } from './command.ts'

/** The work of a command that prints what it was asked for, such as rows, and has no result. */
export function printing<O extends readonly Row[]>(
  print: (call: Call<O>, world: Io) => void | Promise<void>,
): CommandWork<O, z.ZodNever> {
  return {
    schema: z.never(),
    lines: () => [],
    async *run(call, world) {
      await print(call, world)
      yield* []
    },
  }
}
