import type { Mutation } from '../mutation.ts'

const AROUND = 'what lies around events'
const PUSHES = 'test/jobs/around/around.slow.test.ts'
const MIXPANEL = 'test/sources/mixpanel/mixpanel-around.test.ts'

/** What people wrote stays, and what a folder holds comes whole and once. */
export const AROUND_EVENTS: readonly Mutation[] = [
  {
    name: 'what a person wrote after a push is written over',
    promise: AROUND,
    file: 'src/jobs/around/three-way.ts',
    find: 'else if (isOurs || overwrite)',
    replace: 'else if (isOurs || last || overwrite)',
    test: { file: 'test/jobs/around/three-way.test.ts', name: 'a person edited since' },
  },
  {
    name: 'an annotation whose answer was lost is made twice',
    promise: AROUND,
    file: 'src/jobs/around/planned-rows.ts',
    find: 'if (last?.id) return byId.get(last.id)',
    replace: "if (last) return byId.get(last.id ?? '')",
    test: { file: PUSHES, name: 'answers that are lost make nothing twice' },
  },
  {
    name: 'an undo takes away what people have changed',
    promise: AROUND,
    file: 'src/jobs/around/undo.ts',
    find: 'if (isRemoved && changed.length > 0 && !overwrite)',
    replace: "if (isRemoved && changed.includes('') && !overwrite)",
    test: {
      file: PUSHES,
      name: 'undo takes back what the folder brought, and leaves what people changed since',
    },
  },
  {
    name: 'a name that the mapping drops is pushed',
    promise: AROUND,
    file: 'src/jobs/around/final-rows.ts',
    find: '(names ? names.event(name) : name)',
    replace: '(names?.event(name) ?? name)',
    test: { file: 'test/jobs/around/final-rows.test.ts', name: 'those that it drops are named' },
  },
  {
    name: 'a piece of a large cohort is lost',
    promise: AROUND,
    file: 'src/jobs/around/cohort-push.ts',
    find: 'if (piece.length >= PIECE) await send()',
    replace: 'if (piece.length >= PIECE) piece = []',
    test: {
      file: 'test/jobs/around/cohort-push.test.ts',
      name: 'a large cohort goes in pieces, and all of it',
    },
  },
  {
    name: 'what is about to be pushed is noted after its request only',
    promise: AROUND,
    file: 'src/jobs/around/push.ts',
    find: 'await pushed.save()\n      await this.#piece(piece)',
    replace: 'await this.#piece(piece)',
    test: {
      file: 'test/jobs/around/push.test.ts',
      name: 'what is about to be made is noted on the disk first',
    },
  },
  {
    name: 'a key without a scope is taken for a refused row',
    promise: AROUND,
    file: 'src/jobs/around/push.ts',
    find: '[400, 402, 404,',
    replace: '[400, 402, 403, 404,',
    test: { file: PUSHES, name: 'a key that lacks a scope is told which' },
  },
  {
    name: 'what a vendor refuses is taken for nothing there',
    promise: AROUND,
    file: 'src/sources/not-told.ts',
    find: 'return { untold: error.message }',
    replace: 'return [] as T',
    test: { file: MIXPANEL, name: 'it is said, and the others are told' },
  },
  {
    name: 'a cohort whose pages were cut is shorter',
    promise: AROUND,
    file: 'src/sources/mixpanel/profiles.ts',
    find: 'if (seen < session.total)',
    replace: 'if (seen < 0)',
    test: { file: MIXPANEL, name: 'one that stays short is an error, never a shorter cohort' },
  },
]
