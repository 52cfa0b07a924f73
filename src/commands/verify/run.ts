import { isAllHidden } from '../../checks/words/of-service.ts'
import { EXIT, type ExitCode } from '../../errors.ts'
import { HIDDEN_GROUPS } from '../../guards/groups.ts'
import { withApi } from '../../imports/api-session.ts'
import { switchesFor } from '../../imports/import-order.ts'
import { sentOtherwise } from '../../imports/sent-before.ts'
import { assertNamedThere, statePlace } from '../../imports/state-place.ts'
import { openInputs } from '../../imports/verify-inputs.ts'
import type { VerifyResult } from '../../imports/verify-result.ts'
import { verifyInputs } from '../../imports/verify-run.ts'
import type { Io } from '../../io.ts'
import { placesOf } from '../../text/command-line.ts'
import { fold } from '../../text/fold.ts'
import { sum } from '../../text/lists.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { datasetsOf } from '../dataset-argument.ts'
import { RowPrinter } from '../rows.ts'
import type { VerifyCall } from './index.ts'
import { differencesView, eventLines, thereOtherwise } from './text.ts'

export { verifyResult as schema } from '../../imports/verify-result.ts'
export { verifyLines as lines } from './text.ts'

/** Compares datasets and files with what the service has. */
export async function* run(call: VerifyCall, world: Io): AsyncGenerator<VerifyResult> {
  const { values, args } = call
  const { dataset, file: files, sample, wait, missing, bigIntegers } = values
  const datasets = files.length > 0 ? [...args, dataset ?? []].flat() : datasetsOf(args, dataset)
  const switches = switchesFor({ kind: files.length > 0 ? 'file' : 'dataset' }, values.with)
  // The inputs come first, so that a wrong path is reported without a key.
  const rules = { switches, bigIntegersAsStrings: bigIntegers === 'string' }
  const places = [...datasets, ...files.slice(0, 1)].map((input) =>
    statePlace({ ...values, input }, world.env),
  )
  const place = places[0]!
  await assertNamedThere(place, values)
  const inputs = await openInputs({ datasets, files, rules }, places, world)
  const [first] = datasets
  const other = first === undefined ? undefined : await sentOtherwise(first, place)
  const settings = { sample, waitMs: wait ?? 0, missing, place }
  const { found } = await withApi(call, world, (api) => verifyInputs(inputs, settings, api, world))
  const otherwise = other ? { count: other.twice, names: other.names, text: other.lines } : null
  const result = { ...found, sent_otherwise: otherwise }
  if (!values.json) await printDifferences(result, world)
  yield result
}

/** Prints which days, events and values differ. */
async function printDifferences(result: VerifyResult, { stdout }: Io): Promise<void> {
  if (result.differences.length > 0) {
    const writer = new RowPrinter('table', differencesView(result), stdout)
    for (const row of result.differences) await writer.write(row)
    await writer.end()
  }
  for (const line of eventLines(result)) stdout.write(line)
}

export function exit(result: VerifyResult, { values }: VerifyCall): ExitCode {
  return (result.equal || isAllHidden(result)) &&
    (values.accept.includes(HIDDEN_GROUPS) || hiddenIn(result) === 0)
    ? EXIT.done
    : EXIT.rejects
}

export function next(result: VerifyResult, { values }: VerifyCall, { argv }: Io): readonly string[] {
  const { equal, differences, missing_file: file, sent_otherwise: otherwise } = result
  if (equal && hiddenIn(result) > 0 && !values.accept.includes(HIDDEN_GROUPS))
    return [`  events that hide their group are no failure with --accept ${HIDDEN_GROUPS}`]
  if (equal || isAllHidden(result)) return []
  // To import what is missing would put it beside what is there under another name, id or time.
  if (otherwise) {
    const lines = ['the dataset is not what was sent: it was made anew since', ...otherwise.text]
    return lines.flatMap((line) => fold(line, '  ', '    '))
  }
  if (thereOtherwise(result) > 0) return []
  // What was rejected would be rejected again.
  if (result.likely_causes.map(({ cause }) => cause).join() === 'rejected')
    return ['  then: mend the rejected events, and import them as an input of their own']
  if (file !== null) return [`  then: ${posthaulLine(['import', '--file', file, ...placesOf(argv)])}`]
  // To verify again helps only if events are missing: surplus events do not go away.
  return differences.some(({ service, here }) => service < here) ? [`  then: ${posthaulLine(argv)}`] : []
}

/** How many events name a group that queries don't show. */
function hiddenIn({ persons }: VerifyResult): number {
  return sum(persons?.groups ?? [], ({ events }) => events.hidden)
}
