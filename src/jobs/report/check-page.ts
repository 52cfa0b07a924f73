import type { Check } from '../../checks/check-data.ts'
import { datasetInput } from '../../checks/verify-input.ts'
import { wordsOf } from '../../checks/words/problem-words.ts'
import type { Io } from '../../io.ts'
import { openStore } from '../../store/open.ts'
import { continueCommand, withoutPings } from '../../text/command-line.ts'
import { number, plural, span } from '../../text/words.ts'
import { APPROVAL_TODAY, approvalRequest } from '../check/approval-request.ts'
import { cutText, EXAMPLE_CHARS } from './bounds.ts'
import { paged, type Shown } from './parts.ts'
import { datasetDays, namesOf } from './report-cells.ts'
import type { ReportData, ReportProblem } from './report-data.ts'

/** What a check found, worst first, in words. */
function checkProblems(check: Check): ReportProblem[] {
  return check.problems.map((problem) => {
    const { text, remedy } = wordsOf(problem, check)
    const { level, count, example } = problem
    return {
      level,
      title: cutText(text, EXAMPLE_CHARS),
      count,
      ...(example !== undefined && { example: cutText(example, EXAMPLE_CHARS) }),
      ...(remedy !== undefined && { remedy: [cutText(remedy, EXAMPLE_CHARS)] }),
    }
  })
}

/** The page of a check. `dataset`: its place, if it is one; files have no days by name. */
export async function checkPage(
  report: Check,
  dataset: string | undefined,
  { argv }: Io,
): Promise<ReportData> {
  const { plan, subject, problems } = report
  const errors = problems.filter(({ level }) => level === 'error').length
  const inputs = dataset === undefined ? [] : [await datasetInput(await openStore(dataset))]
  const shown: Shown = {
    ...(inputs.length > 0 && { days: [await datasetDays(inputs, await namesOf(inputs))] }),
    problems: checkProblems(report),
    approval: { text: approvalRequest(plan, subject.source), notes: APPROVAL_TODAY },
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
            ...(problems.length > 0 && { text: `${plural(problems.length, 'thing')} to know before it.` }),
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
        value: problems.length,
        level: errors > 0 ? 'error' : problems.length > 0 ? 'warning' : 'good',
      },
    ],
  }
}
