import { breaking } from '../mutation.ts'

const CHOICE = 'test/transform/trial/choose-people.test.ts'

/** What keeps a trial whole in itself, and apart. */
export const TRIALS = breaking({
  order: [
    {
      name: 'a trial takes its events one by one',
      file: 'src/transform/trial/event-ids.ts',
      find: 'return this.hasId(headId(line, head))',
      replace: "return this.hasId(line.toString('latin1', 9, 45))",
      test: { file: CHOICE, name: 'people are chosen, each with all that is theirs' },
    },
    {
      name: 'linked ids come into sets apart',
      file: 'src/transform/trial/choose-people.ts',
      find: 'this.#parents[Math.max(a, b)] = Math.min(a, b)',
      replace: 'this.#parents[Math.max(a, b)] = Math.max(a, b)',
      test: {
        file: 'test/transform/trial/choose-people.test.ts',
        name: 'ids that are linked are in one set, over any number of links',
      },
    },
    {
      name: 'a trial cuts people at links',
      file: 'src/transform/trial/choose-people.ts',
      find: 'if (id !== undefined) people.link(sender, id)',
      test: { file: CHOICE, name: 'people are chosen, each with all that is theirs' },
    },
    {
      name: 'a trial leaves the groups of its people behind',
      file: 'src/transform/trial/event-ids.ts',
      find: 'if (group && this.hasGroup(group)) return true',
      test: { file: CHOICE, name: 'people are chosen, each with all that is theirs' },
    },
    {
      name: 'a trial goes to a project in use',
      code: 'trial_project',
      file: 'src/guards/trial.ts',
      find: 'others > MOST_OTHERS &&',
      replace: 'others > 2 * MOST_OTHERS &&',
      test: {
        file: 'test/commands/import/trial-project.test.ts',
        name: 'a project takes no trial',
      },
    },
    {
      name: 'a trial stands in the place of the whole',
      file: 'src/transform/output-apart.ts',
      find: 'if ((now.trial === undefined) !== (trial === undefined))',
      replace: 'if (false)',
      test: {
        file: 'test/e2e/trial.test.ts',
        name: "what does not go together is refused, and a trial stands in nobody's place",
        built: true,
      },
    },
  ],
  'groups are shown': [
    {
      name: 'a group type is as old as its trial',
      file: 'src/transform/trial/make-trial.ts',
      find: 'Math.min(oldest, whole[type]?.oldest ?? oldest)',
      replace: 'oldest',
      test: {
        file: 'test/e2e/trial-import.test.ts',
        name: 'a project with events of the whole takes no trial, and one with a trial takes no whole',
        built: true,
      },
    },
  ],
})
