import { foundBy, type Guard } from './guard.ts'

const codes = {
  key_mismatch: {
    level: 'error',
    restsOn: 'project',
    means: 'the project key belongs to no project, or to one that the personal key does not see',
    remedy: 'take the "Project API key" of the right project\'s settings, and the address of its region',
    accepted: 'the project is not asked about group types, days, quota, persons and arrivals',
  },
} satisfies Guard['codes']
const found = foundBy(codes)

/** Whether the project key is that of the project. */
export const KEY: Guard = {
  codes,
  look: ({ wrongKey }) => [wrongKey !== undefined && found('key_mismatch', { count: 1, text: wrongKey })],
}
