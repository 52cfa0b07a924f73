import { isTooDeep } from '../../mapping/index.ts'

/** A question of a mapping file, and where it stands. */
export interface QuestionLines {
  readonly text: string
  /** Lines of the text, from 0: its first, and the one after its last. */
  readonly from: number
  readonly to: number
}

const FIRST = /^\s*# +\? (.*)$/
/** How `comment` of draft/yaml-text.ts goes on in the next line. */
const NEXT = /^\s*# {3}(\S.*)$/
const INTRODUCTION = /^# A line with "\?" is a question/

/** The questions that `posthaul init` wrote as comments, in the order of the text. */
export function setupQuestionLines(yaml: string): QuestionLines[] {
  const lines = linesOf(yaml)
  const questions: QuestionLines[] = []
  for (let at = 0; at < lines.length; at++) {
    const first = FIRST.exec(lines[at]!)?.[1]
    if (first === undefined) continue
    const words = [first]
    let to = at + 1
    for (; to < lines.length && !FIRST.test(lines[to]!); to++) {
      const next = NEXT.exec(lines[to]!)?.[1]
      if (next === undefined) break
      words.push(next)
    }
    questions.push({ text: words.join(' '), from: at, to })
  }
  return questions
}

/** The text without a question; as it is where it has no such question. The last one takes the line that explains them along. */
export function settleQuestion(yaml: string, question: string): string {
  if (isTooDeep(yaml)) return yaml
  const questions = setupQuestionLines(yaml)
  const found = questions.find(({ text }) => text === question)
  if (!found) return yaml
  const isLast = questions.length === 1
  return linesOf(yaml)
    .filter((line, at) => (at < found.from || at >= found.to) && !(isLast && INTRODUCTION.test(line)))
    .join('\n')
}

function linesOf(yaml: string): string[] {
  return yaml.split('\n')
}
