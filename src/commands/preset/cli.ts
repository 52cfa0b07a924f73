import { EXIT, type ExitCode } from '../../errors.ts'
import { hostOf } from '../../host.ts'
import type { Io } from '../../io.ts'
import { useOptions } from '../../options/options.ts'
import { jsonLine } from '../../text/json.ts'
import { paintedFor } from '../../text/paint.ts'
import { LATE } from '../late.ts'
import type { CommandModule } from '../module.ts'
import type { TransformResult } from '../results.ts'
import { runStage } from '../run/run-stage.ts'
import { PRESET_TEST_ROWS, type PresetTestValues } from './order.ts'
import { presetTestText } from './text.ts'
import type { TransformBy } from './walks.ts'

const HELP = `
Examples:
  posthaul preset test mixpanel
  posthaul preset test ./acme.mjs
  posthaul preset test ./acme.mjs --fixtures cases/

The fixtures of ./acme.mjs lie in ./acme.fixtures: valid/ and invalid/ with one
JSON file a case, and walks.json for whole files. docs/presets.md has examples.
The exit code is 3 if a promise is broken.`

/** `preset`: what is there for who writes one. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  const test = command
    .command('test')
    .description('hold a preset against its fixtures, and the promises of every preset')
  test
    .argument('<preset>', 'the name of a built-in preset, or the path of your own')
    .addHelpText('after', HELP)
  useOptions(test, PRESET_TEST_ROWS, io.env, async ({ values }, [preset = '']) =>
    exit(await run(preset, values, io)),
  )
}

async function run(preset: string, values: PresetTestValues, io: Io): Promise<ExitCode> {
  const { testPreset } = await LATE.preset()
  const result = await testPreset(preset, values, transformWith(io))
  if (values.json) io.stdout.write(jsonLine(result))
  else io.stdout.write(paintedFor(presetTestText(result), io.stdout, io.env))
  return result.kept ? EXIT.done : EXIT.rejects
}

/** Runs transforms that print nothing. */
function transformWith({ interrupted, env }: Io): TransformBy {
  return async (argv) => {
    let said = ''
    const onMessage = (text: string) => {
      said = text
    }
    const host = hostOf({ signal: interrupted, env, onMessage }, argv)
    const { summary } = await runStage({ stage: 'transform', argv, env: {}, interrupted }, host)
    return { result: summary as TransformResult | undefined, said }
  }
}
