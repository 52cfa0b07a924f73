import { guardOf } from './guard.ts'

/** Whether the project key is that of the project. */
export const KEY = guardOf({
  restsOn: 'project',
  codes: {
    key_mismatch: {
      level: 'error',
      means: 'the project key belongs to no project, or to one that the personal key does not see',
      remedy: 'take the "Project API key" of the right project\'s settings, and the address of its region',
      accepted: 'the project is not asked about group types, days, quota, persons and arrivals',
    },
  },
  look: ({ wrongKey }, found) => [
    wrongKey !== undefined && found('key_mismatch', { count: 1, text: wrongKey }),
  ],
})
