import { number } from '../text/words.ts'
import { foundBy, type Guard } from './guard.ts'

const codes = {
  repeated_ids: {
    level: 'error',
    restsOn: 'data',
    means: 'over a tenth of the records would be dropped as duplicates although they differ',
    remedy:
      'name the id of an event under fields: uuid in the mapping file, or write uuid: null there if it has none',
    accepted: 'one event of each id is kept',
  },
} satisfies Guard['codes']
const found = foundBy(codes)

/** Of the records, more than this share can't be dropped for an id that others have too. */
const MOST_UNLIKE = 0.1

/** Whether what a user calls the id of an event is one. */
export const REPEATS: Guard = {
  codes,
  look: ({ repeats }) => [
    repeats !== undefined &&
      repeats.unlike > repeats.read * MOST_UNLIKE &&
      found('repeated_ids', {
        count: repeats.unlike,
        text:
          `${repeats.estimated ? 'about ' : ''}${number(repeats.unlike)} of ${number(repeats.read)} records would be dropped as ` +
          'duplicates, and differ from the record that is kept: they have its event id, name, person and day',
      }),
  ],
}
