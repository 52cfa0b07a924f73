import type { Check } from '../../checks/check-data.ts'
import { wordsOf } from '../../checks/words/problem-words.ts'
import { cutText, EXAMPLE_CHARS } from './bounds.ts'
import type { ReportProblem } from './report-data.ts'

/** What a check found, worst first, in words. */
export function checkProblems(check: Check): ReportProblem[] {
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
