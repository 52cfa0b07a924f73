import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { apiSettings } from '../../options/index.ts'
import { storeCell } from '../../state/cell.ts'
import { openStore } from '../../store/index.ts'
import { openApi } from '../api-session.ts'
import { reportsJson } from './compare-json.ts'
import { namesBefore, openHistory } from './compared-history.ts'
import { type Compared, Comparison } from './comparison.ts'
import { KeptAnswers } from './kept-answers.ts'
import { keepCompared } from './last-compared.ts'
import type { CompareOptions, CompareOrder } from './order.ts'
import { loadQuestions } from './questions-file.ts'
import type { CompareResult } from './result.ts'
import { askedSide, openService, openVendor, type VendorSide } from './sides.ts'

/** 3 where something is unexplained beyond the tolerance. */
export function compareExit({ equal }: CompareResult): ExitCode {
  return equal ? EXIT.done : EXIT.rejects
}

/** Asks all sides, and explains what differs. */
export async function runCompare(order: CompareOrder, options: CompareOptions, io: Io): Promise<Compared> {
  // What the user wrote comes first, so that a mistake in it is said without a key.
  const questions = order.questions === undefined ? undefined : await loadQuestions(order.questions)
  return withVendor(order, io, async (vendor, kept) => {
    const history = await openHistory(order, vendor?.charted, io)
    const api = openApi(await apiSettings(options, io.stdin), io)
    try {
      const service = await openService(api)
      return await new Comparison({ order, questions, history, vendor, service, api, kept }, io).run()
    } finally {
      await api.close()
      await history.raw?.close()
    }
  })
}

/** Keeps a comparison for `report`, with the place of its page. */
export async function keepLast(
  { place }: CompareOrder,
  { result, datasets }: Compared,
  page: string | undefined,
): Promise<void> {
  await keepCompared(place, { datasets, page: page ?? null, result })
}

/** Lists the saved reports of the vendor, and what of them can be compared. */
export function listSavedReports(order: CompareOrder, io: Io): Promise<CompareResult> {
  return withVendor(order, io, async (vendor) => {
    const history = await openHistory({ ...order, inputs: [] }, undefined, io)
    const { side, project } = vendor!
    if (!side.reports) throw noReports(side.name)
    const names = await namesBefore(history, order.mapping)
    const { call } = askedSide(side, { project, as: '', names }, io)
    const reports = (await side.reports(call)).map(({ id, name, kind, charts, why }) => ({
      id,
      name,
      kind,
      charts: charts.map((chart) => chart.name),
      why,
    }))
    return reportsJson(order.names, order.vendor!.vendor, reports)
  })
}

function noReports(side: string): PosthaulError {
  return new PosthaulError(`${side} tells of no saved reports`, {
    code: 'usage',
    hint: 'the reports that can be compared are those of Mixpanel and Amplitude',
  })
}

async function withVendor<T>(
  order: CompareOrder,
  io: Io,
  work: (vendor: VendorSide | undefined, kept: KeptAnswers) => Promise<T>,
): Promise<T> {
  const { location, answers } = order.place
  const kept = await KeptAnswers.open(storeCell(await openStore(location), answers), order.refetch)
  const vendor = await openVendor(order, kept, io)
  try {
    return await work(vendor, kept)
  } finally {
    await vendor?.side.close()
  }
}
