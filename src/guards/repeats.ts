import { number, plural } from '../text/words.ts'
import { guardOf } from './guard.ts'

/** Of the records, more than this share can't be dropped for an id that others have too. */
const MOST_UNLIKE = 0.1

/** Whether what a user calls the id of an event is one, and whether files are in the input twice. */
export const REPEATS = guardOf({
  restsOn: 'data',
  codes: {
    repeated_ids: {
      level: 'error',
      means: 'over a tenth of the records would be dropped as duplicates although they differ',
      remedy:
        'name the id of an event under fields: uuid in the mapping file, or write uuid: null there if it has none',
      accepted: 'one event of each id is kept',
    },
    repeated_files: {
      level: 'error',
      means: 'an input file is a copy of another, and no id tells their records apart',
      remedy: 'leave the copy out of --in',
      accepted: 'each record of the copy is an event of its own',
    },
  },
  look: ({ repeats, copies }, found) => [
    repeats !== undefined &&
      repeats.unlike > repeats.read * MOST_UNLIKE &&
      found('repeated_ids', {
        count: repeats.unlike,
        text:
          `${repeats.estimated ? 'about ' : ''}${number(repeats.unlike)} of ${number(repeats.read)} records would be dropped as ` +
          'duplicates, and differ from the record that is kept: they have its event id, name, person and day',
      }),
    copies !== undefined &&
      copies.twins > 0 &&
      copies.files.length > 0 &&
      found('repeated_files', {
        count: copies.files.length,
        text:
          `${copies.files[0]![0]} is a copy of ${copies.files[0]![1]}` +
          (copies.files.length > 1 ? `, and ${plural(copies.files.length - 1, 'more file')} of others` : '') +
          `: ${plural(copies.twins, 'record')} would be sent twice`,
      }),
  ],
})
