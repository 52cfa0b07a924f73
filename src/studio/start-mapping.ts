import { findEncoding, type InputFile } from '../inputs/index.ts'
import { MICROS_PER_MS } from '../text/index.ts'
import { encodingDraft } from './draft/encoding-draft.ts'
import { firstMapping } from './first-mapping.ts'

/** A text to start a mapping file from, and why it is as it is. */
export interface StartMapping {
  readonly yaml: string
  readonly reasons: readonly string[]
}

export interface StartOptions {
  /** The paths of the inputs, as the user named them. */
  readonly asked: readonly string[]
  /** The preset that the user named. */
  readonly preset: string | undefined
  readonly stop: AbortSignal
}

/** What a mapping file begins as: with the preset that was named, else as `posthaul init` writes it. */
export async function startMapping(
  inputs: readonly InputFile[],
  { asked, preset, stop }: StartOptions,
): Promise<StartMapping> {
  if (preset !== undefined) {
    const { lines } = encodingDraft(await findEncoding(inputs))
    return { yaml: [`preset: ${JSON.stringify(preset)}`, ...lines, ''].join('\n'), reasons: [] }
  }
  const next = 'posthaul transform --map, with this file'
  const { yaml, recognised, spread } = await firstMapping(inputs, {
    asked,
    next,
    now: Date.now() * MICROS_PER_MS,
    stop,
  })
  if (!recognised) return { yaml, reasons: ['no preset knows these records'] }
  const { title, members, records } = recognised
  const of = Math.min(spread.records.length, 1000)
  return {
    yaml,
    reasons: [`${records} of ${of} records have the members of ${title}: ${members.join(', ')}`],
  }
}
