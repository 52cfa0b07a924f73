import { useOptions } from '../../options/options.ts'
import type { CommandModule } from '../module.ts'
import { DEMO_ROWS, demo } from './run.ts'

/** `demo`: a whole migration on sample data. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  const say = (line: string) => io.stdout.write(`${line}\n`)
  useOptions(command, DEMO_ROWS, io.env, async ({ values }) => exit(await demo(values, say, io)))
}
