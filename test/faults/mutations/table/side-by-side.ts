import type { Mutation } from '../mutation.ts'

const ORDER = 'order'
const WALK = 'test/e2e/split-people.test.ts'
const CHOICE = 'test/transform/trial/choose-people.test.ts'

/** What keeps the events of a person in order where several imports run at once. */
export const SIDE_BY_SIDE: readonly Mutation[] = [
  {
    name: 'events are divided one by one',
    promise: ORDER,
    file: 'src/transform/split/split-day.ts',
    find: 'sketchHash(headId(line, head))',
    replace: "sketchHash(line.toString('latin1', 9, 45))",
    test: {
      file: WALK,
      name: 'the datasets hold the events of one, and all of a person and of a group are in one of them',
      built: true,
    },
  },
  {
    name: 'linked ids are divided apart',
    promise: ORDER,
    file: 'src/transform/split/person-sets.ts',
    find: 'this.#parents[Math.max(a, b)] = Math.min(a, b)',
    replace: 'this.#parents[Math.max(a, b)] = Math.max(a, b)',
    test: {
      file: 'test/transform/split/person-sets.test.ts',
      name: 'ids that are linked go to one dataset, over any number of links',
    },
  },
  {
    name: 'a group goes to each of its senders',
    promise: ORDER,
    file: 'src/transform/split/event-ids.ts',
    find: 'group && hashOfGroup(group)',
    replace: 'undefined',
    test: { file: 'test/transform/split/event-ids.test.ts', name: 'a group goes with whoever changes it' },
  },
  {
    name: 'a trial cuts people at links',
    promise: ORDER,
    file: 'src/transform/trial/choose-people.ts',
    find: 'if (id !== undefined) people.link(sender, id)',
    replace: '',
    test: { file: CHOICE, name: 'people are chosen, each with all that is theirs' },
  },
  {
    name: 'a trial leaves the groups of its people behind',
    promise: ORDER,
    file: 'src/transform/trial/chosen-lines.ts',
    find: 'if (group && this.hasGroup(group)) return true',
    replace: '',
    test: { file: CHOICE, name: 'people are chosen, each with all that is theirs' },
  },
  {
    name: 'a trial goes to a project in use',
    promise: ORDER,
    file: 'src/jobs/import/trial-project.ts',
    find: 'if (others > MOST_OTHERS)',
    replace: 'if (others > 2 * MOST_OTHERS)',
    test: {
      file: 'test/jobs/import/trial-project.test.ts',
      name: 'a project takes no trial',
    },
  },
  {
    name: 'the whole of a history replaces one dataset of its division',
    promise: ORDER,
    file: 'src/transform/output-apart.ts',
    find: 'if (now.split_people === share) return',
    replace: 'if (share || now.split_people === share) return',
    test: {
      file: 'test/transform/split/split-places.test.ts',
      name: 'a dataset of a division is not replaced by the whole, nor the whole by one',
    },
  },
  {
    name: 'a group type is as old as one dataset of several',
    promise: 'groups are shown',
    file: 'src/transform/split/split-people.ts',
    find: 'Math.min(oldest, whole[type]?.oldest ?? oldest)',
    replace: 'oldest',
    test: {
      file: WALK,
      name: 'imported side by side, the datasets give the persons and groups that one import gives',
      built: true,
    },
  },
  {
    name: 'imports of the same people share the cap',
    promise: ORDER,
    file: 'src/delivery/account.ts',
    find: 'if (!anyOrder) assertPeopleApart',
    replace: 'if (anyOrder) assertPeopleApart',
    test: {
      file: 'test/delivery/account.test.ts',
      name: 'of two imports of the same people that share the cap, the second is refused',
    },
  },
  {
    name: 'common ids are overlooked',
    promise: ORDER,
    file: 'src/delivery/ledger.ts',
    find: 'overlap.proofs < LEAST_PROOFS',
    replace: 'overlap.proofs >= 0',
    test: {
      file: 'test/delivery/ledger.test.ts',
      name: 'an import of the same people is found, with how many they are',
    },
  },
  {
    name: 'an import that is cut short leaves its people to others',
    promise: ORDER,
    file: 'src/delivery/account.ts',
    find: 'done || delivered + left === 0',
    replace: 'true',
    test: {
      file: 'test/delivery/account.test.ts',
      name: 'of two imports of the same people that share the cap, the second is refused',
    },
  },
]
