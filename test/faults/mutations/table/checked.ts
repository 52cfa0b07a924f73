import { breaking } from '../mutation.ts'

const FIRST_LOOK = 'test/commands/import/first-look.test.ts'
const DIFFERENCES = 'test/studio/tests/test-differences.test.ts'

/** What check says before anything is sent. */
export const CHECKED_FIRST = breaking({
  'nothing goes wrong that check could have said': [
    {
      name: 'doctor does not try the conditions of a bucket',
      file: 'src/migration/migration-subject.ts',
      find: 'conditional: !store.single_writer',
      replace: 'conditional: false',
      test: { file: 'test/migration/migration-subject.test.ts', name: 'the conditions of its writes' },
    },
    {
      name: 'one uuid of two persons goes into the project',
      code: 'repeated_uuids',
      file: 'src/guards/uuids.ts',
      find: 'uuids.count === 0',
      replace: 'uuids.count < 9',
      test: { file: FIRST_LOOK, name: 'one uuid of two persons in a file' },
    },
    {
      name: 'a file of rejects alone is imported',
      code: 'all_rejected',
      file: 'src/guards/lines.ts',
      find: 'lines.sent > 0 ||',
      replace: 'lines.sent > -1 ||',
      test: { file: FIRST_LOOK, name: 'a file of which every line is rejected' },
    },
    {
      name: 'files are not looked at before they are sent',
      file: 'src/commands/import/first-look.ts',
      find: 'if (seen) guards.look(seen.facts)',
      test: { file: FIRST_LOOK, name: 'one uuid of two persons in a file' },
    },
    {
      name: 'another time under one uuid is overlooked',
      file: 'src/checks/uuids-seen.ts',
      find: 'cells[at + TIME] !== cell[TIME]',
      replace: 'false',
      test: { file: 'test/checks/uuids-seen.test.ts', name: 'two events under one uuid that differ in' },
    },
    {
      name: 'groups without a dollar sign pass in silence',
      file: 'src/checks/storage-seen.ts',
      find: 'key === UNSIGNED_GROUPS && ',
      replace: 'key < 0 && ',
      test: { file: FIRST_LOOK, name: 'groups without a dollar sign are in no group' },
    },
    {
      name: 'the quota is needed for what was sent before',
      file: 'src/guards/quota.ts',
      find: 'events - sent)',
      replace: 'events)',
      test: { file: 'test/guards/guards.test.ts', name: 'one whose quota is short of what is not sent yet' },
    },
    {
      name: 'the first day that a project shows counts as hidden',
      code: 'hidden_events',
      file: 'src/guards/hidden-events.ts',
      find: '.filter((day) => day < retention.firstDay)',
      replace: '.filter((day) => day <= retention.firstDay)',
      test: { file: 'test/guards/guards.test.ts', name: 'only of days that it shows' },
    },
    {
      name: 'a live event filter is taken for none',
      code: 'filtered_events',
      file: 'src/service/project-rules.ts',
      find: "live: 'filters'",
      replace: "live: 'would_filter'",
      test: { file: 'test/service/project-rules.test.ts', name: 'an event filter' },
    },
    {
      name: 'a restriction that drops is taken for one that delays',
      code: 'restricted_events',
      file: 'src/service/project-rules.ts',
      find: "isWhole && DROPS.includes(name) ? 'drops' : 'restricts'",
      replace: "'restricts'",
      test: { file: 'test/service/project-rules.test.ts', name: 'a restriction' },
    },
    {
      name: 'an enforced definition is passed over',
      code: 'enforced_events',
      file: 'src/service/project-rules.ts',
      find: "if (mode === 'reject')",
      replace: "if (mode === 'never')",
      test: {
        file: 'test/service/project-rules.test.ts',
        name: 'of the event definitions, those that are enforced; an older server is asked for one page',
      },
    },
    {
      name: 'a rule that names people is held against nobody',
      file: 'src/checks/rules-seen.ts',
      find: "this.needsIds ? headId(line, head) : ''",
      replace: "''",
      test: { file: 'test/checks/rules-seen.test.ts', name: 'lines are looked at by name and id' },
    },
    {
      name: 'the quota is not asked for as an import ends',
      file: 'src/delivery/import-run.ts',
      find: 'await watch?.end()',
      replace: 'await watch?.state',
      test: {
        file: 'test/e2e/causes.test.ts',
        name: 'a quota that runs out in mid-run is told at the end, and verify names it after it was raised',
        built: true,
      },
    },
    {
      name: 'a run forgets that the one before it ended over the quota',
      file: 'src/delivery/arrival-watch.ts',
      find: '    this.#overAt = over\n',
      test: {
        file: 'test/delivery/arrival-watch.test.ts',
        name: 'a run that ended over the quota is remembered by those after it, until a restart',
      },
    },
    {
      name: 'verify knows nothing of a quota that was raised',
      file: 'src/imports/verify-run.ts',
      find: 'overQuota: wasOver || ',
      replace: 'overQuota: ',
      test: {
        file: 'test/e2e/causes.test.ts',
        name: 'a quota that runs out in mid-run is told at the end, and verify names it after it was raised',
        built: true,
      },
    },
    {
      name: 'doctor does not say to which organizations a key is limited',
      file: 'src/checks/preflight/project.ts',
      find: ", ...to('organization', organizations)]",
      replace: ']',
      test: {
        file: 'test/checks/preflight/target.test.ts',
        name: 'a key that is limited to organizations says so, and one of others is refused',
      },
    },
    {
      name: 'what a key may not read of the rules stops the run',
      file: 'src/service/project-rules.ts',
      find: "error.code === 'interrupted') throw error",
      replace: "error.code !== 'interrupted') throw error",
      test: {
        file: 'test/service/project-rules.test.ts',
        name: 'what can not be read is said, with the scope that is lacking, and the rest is read',
      },
    },
    {
      name: "a question's time is one that Node may collect",
      file: 'src/service/question.ts',
      find: 'const end = deadline(timeoutMs, [interrupted, ...(over ? [over] : [])])',
      replace:
        'const any = AbortSignal.any([interrupted, AbortSignal.timeout(timeoutMs)]); const end = { signal: any, get isLate() { return any.aborted }, release() {} }',
      test: {
        file: 'test/service/question.test.ts',
        name: 'a question ends with its time, whatever is collected while it waits to be asked again',
      },
    },
    {
      name: 'what only helps is asked again and again',
      file: 'src/service/api.ts',
      find: 'tooMuch || subject.isOptional ||',
      replace: 'tooMuch ||',
      test: {
        file: 'test/service/api.test.ts',
        name: 'an optional question is asked once, also of a server that never answers',
      },
    },
  ],
  'what a mapping does is what its tests say': [
    {
      name: 'a red test of the mapping lets a transform write',
      code: 'failing_tests',
      file: 'src/guards/tests.ts',
      find: 'tests.failed.length > 0 &&',
      replace: 'tests.failed.length < 0 &&',
      test: { file: 'test/e2e/mapping-tests.test.ts', name: 'a red test stops a run', built: true },
    },
    {
      name: 'two events that a test includes are found in one',
      file: 'src/studio/tests/test-differences.ts',
      find: 'at >= outcome.events.length',
      replace: 'at < 0',
      test: { file: DIFFERENCES, name: 'one too many is said' },
    },
    {
      name: 'a nested member passes for one with a dot in its name',
      file: 'src/studio/tests/test-differences.ts',
      find: '+ quotedSegment(name)',
      replace: '+ name',
      test: { file: DIFFERENCES, name: 'a nested member is not one with a dot' },
    },
    {
      name: 'a test is written that makes its file unreadable',
      file: 'src/studio/tests/test-text.ts',
      find: "if (name !== '__proto__') return name",
      replace: "if (name !== '') return name",
      test: { file: 'test/studio/tests/test-text.test.ts', name: 'a name that would make the whole file' },
    },
    {
      name: 'the studio writes a test under the page that edits the file',
      file: 'src/mapping-tests/write-tests.ts',
      find: 'if (isOwn && open !== undefined)',
      replace: "if (isOwn && open === '')",
      test: {
        file: 'test/mapping-tests/write-tests.test.ts',
        name: 'open in an editor gets its test in the text',
      },
    },
  ],
})
