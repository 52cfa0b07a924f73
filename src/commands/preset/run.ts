import { existsSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { EXIT, PosthaulError } from '../../errors.ts'
import { isPresetFile } from '../../mapping/preset.ts'
import { differencesFrom, readFixtures } from '../../mapping-tests/fixture-kit.ts'
import { namePreset, presetOf } from '../../pipeline/preset-of.ts'
import { fold } from '../../text/fold.ts'
import { cutTo, visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import type { PresetTestCall } from './index.ts'
import type { PresetTestResult } from './result.ts'

export { presetTestResult as schema } from './result.ts'

export const exit = ({ failures }: PresetTestResult) => (failures.length === 0 ? EXIT.done : EXIT.rejects)

/** Holds a preset against its fixtures. */
export async function* run({ args: [name = ''], values }: PresetTestCall): AsyncGenerator<PresetTestResult> {
  const preset = await presetOf(await namePreset(name))
  const { vendor } = preset
  const fixtures = values.fixtures ?? fixturesBeside(name)
  const cases = readFixtures(fixtures)
  const failures = cases
    .map((one) => ({ case: one.name, about: one.about, differences: differencesFrom(one, preset) }))
    .filter(({ differences }) => differences.length > 0)
  yield { version: 1, command: 'preset test', preset: name, vendor, fixtures, cases: cases.length, failures }
}

function fixturesBeside(preset: string): string {
  const folder = join(dirname(preset), `${basename(preset, extname(preset))}.fixtures`)
  if (isPresetFile(preset) && existsSync(folder)) return folder
  throw new PosthaulError(`${preset} has no fixtures: there is no folder ${folder}`, {
    code: 'config',
    hint: `write valid/ and invalid/ into it, one JSON file a case (docs/presets.md), or name a folder with --fixtures`,
  })
}

/** Of one case, this many differences are shown. */
const MOST = 5
/** A line of an event may have megabytes. */
const MOST_CHARACTERS = 400

/** The cases that fail, and what differs. */
export function lines({ preset, cases, failures }: PresetTestResult): string[] {
  const verdict = failures.length === 0 ? 'as expected' : `${number(failures.length)} not as expected`
  return [
    `preset test: ${visible(preset)}: ${plural(cases, 'case')}, ${verdict}`,
    ...failures.flatMap(({ case: name, about, differences }) => [
      ...fold(visible(`${name}: ${about}`), '    ', '  '),
      ...differences
        .slice(0, MOST)
        .flatMap((one) => fold(visible(cutTo(one, MOST_CHARACTERS)), '      ', '    ')),
      ...(differences.length > MOST
        ? [`    and ${number(differences.length - MOST)} more: --json has all of them`]
        : []),
    ]),
  ]
}
