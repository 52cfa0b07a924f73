import type { Mutation } from '../mutation.ts'

const ONCE = 'a history under two rules is not there twice'
const TWO_RULES = 'test/e2e/two-rules.test.ts'

/** Who stands for nobody, and what was sent before by other rules. */
export const RULES: readonly Mutation[] = [
  {
    name: 'the null of a database is a person',
    promise: 'nothing is guessed in silence',
    file: 'src/record/nobody.ts',
    find: "new Set(['\\\\n', 'null',",
    replace: "new Set(['null',",
    test: {
      file: 'test/mapping/nobody-words.test.ts',
      name: 'takes no word that stands for nobody for a person',
    },
  },
  {
    name: 'a dataset of which events were sent is made anew by other rules',
    promise: ONCE,
    file: 'src/imports/assert-not-imported.ts',
    find: 'if (rules !== undefined && manifest?.source.rules_sha256 === rules) return',
    replace: 'if (rules !== undefined && manifest) return',
    test: { file: TWO_RULES, name: 'a mapping that changes after the import is refused', built: true },
  },
  {
    name: 'a dataset is made anew while it is sent',
    promise: ONCE,
    file: 'src/imports/assert-not-imported.ts',
    find: 'if (!holder) return',
    replace: "if (holder?.who !== '') return",
    test: { file: TWO_RULES, name: 'a transform into a dataset of which an import runs', built: true },
  },
  {
    name: 'nothing is written of what is sent',
    promise: ONCE,
    file: 'src/delivery/sent-record.ts',
    find: 'await state.put(name, text())',
    replace: 'void text',
    test: { file: TWO_RULES, name: 'who sends again is told how many', built: true },
  },
  {
    name: 'days count as sent that were not',
    promise: ONCE,
    file: 'src/delivery/sent-record.ts',
    find: 'if (done) return [...days]',
    replace: 'if (done || days.length > 0) return [...days]',
    test: { file: TWO_RULES, name: 'what an import stopped in the middle has sent', built: true },
  },
  {
    name: 'events at other times count as the same',
    promise: ONCE,
    file: 'src/delivery/sent-record.ts',
    find: "return cell.times === other.times ? 'alike' : 'moved'",
    replace: "return 'alike'",
    test: { file: TWO_RULES, name: 'another time zone is another time', built: true },
  },
  {
    name: 'the state elsewhere of a dataset that was made anew is not found',
    promise: ONCE,
    file: 'src/imports/sent-before.ts',
    find: 'if (isThis && isSameProject(target, to) &&',
    replace: 'if (isThis && !isSameProject(target, to) &&',
    test: { file: TWO_RULES, name: 'a state that is kept elsewhere is found', built: true },
  },
  {
    name: 'a copy of a dataset is sent once more',
    promise: ONCE,
    file: 'src/imports/sent-before.ts',
    find: 'if (!loaded) return assertNoCopySent(sending)',
    replace: 'if (!loaded) return',
    test: { file: TWO_RULES, name: 'a dataset that was renamed or copied', built: true },
  },
  {
    name: 'events of another import of these days are no finding',
    promise: ONCE,
    file: 'src/commands/import/assert-no-others.ts',
    find: 'if (!side || !stands(side)) return',
    replace: 'if (side) return',
    test: { file: 'test/e2e/others.test.ts', name: 'a managed migration is a finding of check', built: true },
  },
  {
    name: 'the times of events tell nothing',
    promise: ONCE,
    file: 'src/record/fingerprint.ts',
    find: 'mixed(words[at]! ^ words[at + 2]! ^ (instant - high * TWO_TO_32))',
    replace: 'mixed(words[at]! ^ words[at + 2]!)',
    test: { file: 'test/record/fingerprint.test.ts', name: 'tells times by their uuids' },
  },
  {
    name: 'events that are being deleted are sent',
    promise: 'what is sent stays',
    file: 'src/imports/undo-standing.ts',
    find: 'touching.find(({ request }) => !isOver(request))',
    replace: 'touching.find(({ request }) => isOver(request) && !isOver(request))',
    test: { file: 'test/e2e/undo.test.ts', name: 'kept away meanwhile, and sent anew', built: true },
  },
]
