import { breaking } from '../mutation.ts'

const TWO_RULES = 'test/e2e/two-rules.test.ts'

/** Who stands for nobody, and what was sent before by other rules. */
export const RULES = breaking({
  'nothing is guessed in silence': [
    {
      name: 'the null of a database is a person',
      file: 'src/record/nobody.ts',
      find: "new Set(['\\\\n', 'null',",
      replace: "new Set(['null',",
      test: {
        file: 'test/mapping/nobody-words.test.ts',
        name: 'takes no word that stands for nobody for a person',
      },
    },
  ],
  'a history under two rules is not there twice': [
    {
      name: 'a dataset of which events were sent is made anew by other rules',
      file: 'src/imports/assert-not-imported.ts',
      find: '    if (rules) guard({ rules })\n',
      test: { file: TWO_RULES, name: 'a mapping that changes after the import is refused', built: true },
    },
    {
      name: 'a dataset is made anew while it is sent',
      file: 'src/imports/assert-not-imported.ts',
      find: 'if (!holder) return',
      replace: "if (holder?.who !== '') return",
      test: { file: TWO_RULES, name: 'a transform into a dataset of which an import runs', built: true },
    },
    {
      name: 'nothing is written of what is sent',
      file: 'src/delivery/sent-record.ts',
      find: 'await state.put(name, text())',
      replace: 'void text',
      test: { file: TWO_RULES, name: 'who sends again is told how many', built: true },
    },
    {
      name: 'days count as sent that were not',
      file: 'src/delivery/sent-record.ts',
      find: 'if (done) return [...days]',
      replace: 'if (done || days.length > 0) return [...days]',
      test: { file: TWO_RULES, name: 'what an import stopped in the middle has sent', built: true },
    },
    {
      name: 'events at other times count as the same',
      file: 'src/delivery/sent-record.ts',
      find: "likeness === 'same' ? 'alike' : 'moved'",
      replace: "'alike'",
      test: { file: TWO_RULES, name: 'another time zone is another time', built: true },
    },
    {
      name: 'the state elsewhere of a dataset that was made anew is not found',
      file: 'src/imports/sent-before.ts',
      find: 'if (isThis && isSameProject(target, to) &&',
      replace: 'if (isThis && !isSameProject(target, to) &&',
      test: { file: TWO_RULES, name: 'a state that is kept elsewhere is found', built: true },
    },
    {
      name: 'a dataset that was made anew goes beside what was sent of it',
      code: 'sent_otherwise',
      file: 'src/commands/import/deliver.ts',
      find: '    sent: elsewhere ?? (await sentByThis(sending)),\n',
      replace: '    sent: elsewhere,\n',
      test: { file: TWO_RULES, name: 'is refused at each step, and nothing is there twice', built: true },
    },
    {
      name: 'a copy of a dataset is sent once more',
      code: 'sent_before',
      file: 'src/commands/import/deliver.ts',
      find: '  if (!saved) guarding.look({ copy: await copySent(sending, turn) })\n',
      test: { file: TWO_RULES, name: 'a dataset that was renamed or copied', built: true },
    },
    {
      name: 'events of other rules go beside those that were sent',
      code: 'rules_changed',
      file: 'src/guards/sent.ts',
      find: 'rules.before !== rules.now &&',
      replace: "rules.before === '' &&",
      test: { file: 'test/guards/guards.test.ts', name: 'the table has every code of every guard' },
    },
    {
      name: 'records that differ are dropped for an id that they share',
      code: 'repeated_ids',
      file: 'src/guards/repeats.ts',
      find: 'repeats.unlike > repeats.read * MOST_UNLIKE',
      replace: 'repeats.unlike > repeats.read',
      test: { file: 'test/guards/guards.test.ts', name: 'the table has every code of every guard' },
    },
    {
      name: 'a list to forget may match nobody',
      code: 'forgets_nobody',
      file: 'src/transform/transform-tally.ts',
      find: 'filtered[FORGOTTEN] ? undefined : forget',
      replace: 'undefined',
      test: { file: 'test/e2e/private.test.ts', name: 'the list is part of the run', built: true },
    },
    {
      name: 'a hash may match nothing',
      code: 'hashes_nothing',
      file: 'src/transform/transform.ts',
      find: '    if (refused) throw refused\n',
      test: { file: 'test/e2e/private.test.ts', name: 'a hash that matches nothing stops', built: true },
    },
    {
      name: 'a question to the project that failed stands against nothing',
      code: 'project_unasked',
      file: 'src/guards/unasked.ts',
      find: 'look: ({ unasked = [] }) =>',
      replace: 'look: ({ unasked = [] }) => unasked.length > 0 ? [] :',
      test: { file: 'test/guards/guards.test.ts', name: 'the table has every code of every guard' },
    },
    {
      name: 'events of another import of these days are no finding',
      code: 'other_imports',
      file: 'src/guards/others.ts',
      find: '      stands(held) &&',
      replace: '      !stands(held) &&',
      test: { file: 'test/guards/guards.test.ts', name: 'the table has every code of every guard' },
    },
    {
      name: 'the times of events tell nothing',
      file: 'src/record/fingerprint.ts',
      find: 'addNumber(time - above * TWO_TO_32, above)',
      replace: 'addNumber(0, 0)',
      test: { file: 'test/record/fingerprint.test.ts', name: 'another millisecond' },
    },
  ],
  'what is sent stays': [
    {
      name: 'events that are being deleted are sent',
      file: 'src/imports/undo-standing.ts',
      find: 'touching.find(({ request }) => !isOver(request))',
      replace: 'touching.find(({ request }) => isOver(request) && !isOver(request))',
      test: { file: 'test/e2e/undo.test.ts', name: 'kept away meanwhile, and sent anew', built: true },
    },
  ],
})
