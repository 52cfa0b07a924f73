import type { InputFile } from '../inputs/input-file.ts'
import { firstLook } from '../transform/first-look.ts'
import { MICROS_PER_MS } from '../units.ts'

/** A text to start a mapping file from, and why it is as it is. */
export interface StartMapping {
  readonly yaml: string
  readonly reasons: readonly string[]
}

/** What a mapping file begins as: with the preset that was named, else with what the first records look like. */
export async function startMapping(
  preset: string | undefined,
  inputs: readonly InputFile[],
): Promise<StartMapping> {
  if (preset !== undefined) return { yaml: `preset: ${JSON.stringify(preset)}\n`, reasons: [] }
  const { starter, recognised, records } = await firstLook(inputs, Date.now() * MICROS_PER_MS)
  const yaml = `${starter.join('\n')}\n`
  if (!recognised) return { yaml, reasons: ['no preset knows these records'] }
  const { title, members } = recognised
  return {
    yaml,
    reasons: [
      `${recognised.records} of the first ${records} records have the members of ${title}: ${members.join(', ')}`,
    ],
  }
}
