import { NOT_IN_TRIAL } from '../../record/index.ts'
import { openStore } from '../../store/index.ts'
import { forgetLostDays } from '../journal.ts'
import { finishDataset } from '../seal/finish.ts'
import { SealedDays } from '../split/sealed-days.ts'
import { shareCounts } from '../split/share-counts.ts'
import { copyDays, ofRecords, type SealedWhole, type SplitTools, someLinks } from '../split/split-people.ts'
import { splitName } from '../task.ts'
import type { Transformed } from '../transform-tally.ts'
import { choosePeople } from './choose-people.ts'
import { ChosenLines } from './chosen-lines.ts'
import type { TrialOrder } from './trial-order.ts'

/** How often the sealed days are read to choose people. */
export const READINGS = 2

/**
 * Makes a trial of the whole that is sealed into the work folder: copies the events of the people who are chosen, as the bytes
 * that were sealed. The records of all others count as filtered. What an earlier run has done is not done again.
 */
export async function makeTrial(
  whole: SealedWhole,
  order: TrialOrder,
  tools: SplitTools,
): Promise<Transformed> {
  const { job, days, result } = whole
  const { journal, options } = tools
  const { out, by, most } = order
  await forgetLostDays(journal, await openStore(out), splitName(0, ''))
  const { chosen, people } = await choosePeople(order, new SealedDays(job.out, days, tools), {
    ids: result.inventory.distinct_ids,
    groupEventName: job.groupEventName,
  })
  await options.look()
  const [copied] = await copyDays(whole, { places: [out], whose: chosen }, tools)
  const made = trialResult(result, copied!)
  const lines = new ChosenLines(chosen, job.groupEventName)
  const links = await someLinks(whole, (link) =>
    'anonymous' in link ? lines.hasId(link.anonymous) : lines.hasGroup(link),
  )
  await options.look()
  const wholeEvents = result.counts.written + result.counts.generated
  const trial = { people, whole_events: wholeEvents }
  await finishDataset({ ...job, out }, { ...copied!.finished, ...links }, made, {
    ...options,
    trial: { by, most, ...trial, whole_import_id: order.wholeId },
  })
  return { ...made, days: copied!.days, parts: copied!.parts, trial }
}

type Copied = Awaited<ReturnType<typeof copyDays>>[number]

/** The counts of the whole, of whose written records those of other people are filtered. */
function trialResult(whole: Transformed, { events, generated, inventory }: Copied): Transformed {
  const { counts, filtered } = whole
  const rest = {
    events: counts.written + counts.generated - events,
    generated: Math.max(0, counts.generated - generated),
  }
  const [own] = shareCounts(whole, [{ events, generated }, rest])
  const others = counts.written - own!.counts.written
  return {
    ...whole,
    ...ofRecords(whole, 0, inventory),
    counts: { ...own!.counts, read: counts.read, filtered: counts.filtered + others },
    filtered: others > 0 ? { ...filtered, [NOT_IN_TRIAL]: others } : filtered,
  }
}
