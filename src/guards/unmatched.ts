import { plural } from '../text/words.ts'
import { guardOf } from './guard.ts'

/** Whether what a mapping file hides is there: a rule that matches nothing hides nothing, and all of it would be sent. */
export const UNMATCHED = guardOf({
  restsOn: 'data',
  codes: {
    forgets_nobody: {
      level: 'error',
      means: 'the list of people to forget matches no record of the whole input',
      remedy:
        'compare an id of the list with those of the records, letter by letter, or take forget: out of the mapping file',
      accepted: 'no record is left out',
    },
    hashes_nothing: {
      level: 'error',
      means: 'no event of the whole input has a property that properties.hash names',
      remedy:
        'write the property as the events have it, which --dry-run shows, or take it out of properties.hash',
      accepted: 'values under another name are sent as they are',
    },
  },
  look: ({ unmatched }, found) => {
    if (!unmatched || unmatched.read === 0) return []
    const { read, list, unhashed } = unmatched
    const where = `all ${plural(read, 'record')}`
    return [
      list !== undefined &&
        found('forgets_nobody', {
          count: list.ids,
          text: `${list.path} (${plural(list.ids, 'id')}) matches nobody in ${where}`,
        }),
      unhashed.length > 0 &&
        found('hashes_nothing', {
          count: unhashed.length,
          text: `properties.hash matches nothing in ${where}: ${unhashed.map((name) => JSON.stringify(name)).join(', ')}`,
        }),
    ]
  },
})
