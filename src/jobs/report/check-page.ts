import { datasetInput, type Finding } from '../../checks/index.ts'
import type { Io } from '../../io.ts'
import { openStore } from '../../store/index.ts'
import { continueCommand, number, plural, span, withoutPings } from '../../text/index.ts'
import { APPROVAL_TODAY } from '../check/approval-request.ts'
import type { Checked } from '../check/run.ts'
import { cutText, EXAMPLE_CHARS } from './bounds.ts'
import { paged, type Shown } from './parts.ts'
import { datasetDays, namesOf } from './report-cells.ts'
import type { ReportData } from './report-data.ts'

/** As much of a finding as a page has room for. */
function cutFinding({ level, kind, count, text, example, remedy }: Finding): Finding {
  const cut = (text: string) => cutText(text, EXAMPLE_CHARS)
  return {
    level,
    kind,
    text: cut(text),
    ...(count !== undefined && { count }),
    ...(example !== undefined && { example: cut(example) }),
    ...(remedy !== undefined && { remedy: cut(remedy) }),
  }
}

/** The page of a check. `dataset`: its place, if it is one; files have no days by name. */
export async function checkPage(
  report: Checked,
  dataset: string | undefined,
  { argv }: Io,
): Promise<ReportData> {
  const { plan, findings } = report
  const errors = findings.filter(({ level }) => level === 'error').length
  const inputs = dataset === undefined ? [] : [await datasetInput(await openStore(dataset))]
  const shown: Shown = {
    ...(inputs.length > 0 && { days: [await datasetDays(inputs, await namesOf(inputs))] }),
    problems: findings.map(cutFinding),
    approval: { text: report.result.approval_request, notes: APPROVAL_TODAY },
    commands: [
      { title: 'This check', line: continueCommand(withoutPings(argv)) },
      { title: errors > 0 ? 'Once the errors are mended' : 'Then', line: continueCommand(report.next) },
    ],
  }
  const data = paged(`Check of ${report.name}`, 'check', shown, [])
  return {
    ...data,
    verdict:
      errors > 0
        ? {
            level: 'error',
            title: 'The events must not be sent as they are.',
            text: 'Events that were sent cannot be taken back.',
          }
        : {
            level: 'good',
            title: 'Nothing stands against the import.',
            ...(findings.length > 0 && { text: `${plural(findings.length, 'thing')} to know before it.` }),
          },
    figures: [
      { label: 'Events', value: plan.events },
      {
        label: 'Days',
        value: plan.days,
        ...(plan.span && { meaning: `${plan.span.first} to ${plan.span.last}` }),
      },
      { label: 'Least time', value: span(plan.ms), meaning: `at ${number(plan.perMinute)} events a minute` },
      {
        label: 'Things to know',
        value: findings.length,
        level: errors > 0 ? 'error' : findings.length > 0 ? 'warning' : 'good',
      },
    ],
  }
}
