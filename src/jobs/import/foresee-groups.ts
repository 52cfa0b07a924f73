import { fitTexts, type TypesFit } from '../../checks/index.ts'
import type { Io } from '../../io.ts'
import type { Options, ReaderValues } from '../../options/index.ts'
import { progressFor } from '../../telemetry/progress.ts'
import { groupInputOf } from '../transform/group-input.ts'
import { groupTypesThere, NOBODY_ASKED } from './group-types-there.ts'
import type { ImportOrder, SourceOrder } from './import-order.ts'
import { lookAtGroups } from './look-at-groups.ts'

/** What an import that can't ask says, if it begins with a dataset that is known to have groups. */
export async function nobodyAsked({ input }: SourceOrder): Promise<string[]> {
  if (input.kind === 'file') return []
  const { known } = await groupInputOf(input, { switches: [], bigIntegersAsStrings: false })
  return known?.size === 0 ? [] : [NOBODY_ASKED]
}

/** What a dry run says about groups: how they fit, if that could be asked, and in words. */
export interface GroupsForeseen {
  readonly fit?: TypesFit
  readonly texts: readonly string[]
}

const NONE: TypesFit = { tooMany: [], younger: [], missing: [] }

/** Finds out what an import would do about the groups of its input. */
export async function foreseeGroups(
  { source, guards }: ImportOrder,
  options: Options<ReaderValues>,
  io: Io,
): Promise<GroupsForeseen> {
  if (guards.skipKeyCheck) return { texts: [] }
  const input = await groupInputOf(source.input, source)
  if (input.known?.size === 0) return { fit: NONE, texts: [] }
  const { types, unasked } = await groupTypesThere(options, io)
  if (!types) return { texts: input.known && unasked !== undefined ? [unasked] : [] }
  const progress = progressFor(io.telemetry)
  const pass = {
    signal: io.interrupted,
    progress: (total: number) => {
      progress.start('read groups', total)
      return progress
    },
  }
  const { fit } = await lookAtGroups(input, async () => types, pass)
  return { fit, texts: fitTexts(fit) }
}
