import { describe, expect, test } from 'vitest'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { editMapping } from '../../src/studio/edit-mapping.ts'
import type { Edit } from '../../src/studio/studio-data.ts'

const BEFORE = `# what we keep
preset: mixpanel

events:
    rename:
        "Sign Up": signed_up # as the team calls it
    drop:
        - heartbeat # noise
        # asked for by Ann
        - debug
properties:
    set: { campaign: 12345678901234567890, ratio: 1.50 }
`

const same = (source: string) => source
const edited = (edit: Edit, yaml = BEFORE) => editMapping(yaml, edit, same)

describe('an edit of a mapping file', () => {
  test('adds its line and leaves every other as it is', () => {
    const after = edited({ kind: 'drop_event', event: 'ping' })
    expect(after).toBe(BEFORE.replace('- debug\n', '- debug\n        - ping\n'))
  })

  test('a rename keeps the comment beside it', () => {
    const after = edited({ kind: 'rename_event', event: 'Sign Up', to: '$signup' })
    expect(after).toBe(BEFORE.replace('signed_up #', '$signup #'))
  })

  test('what is taken back leaves no empty keys, and the comments of its neighbours', () => {
    expect(edited({ kind: 'reset_event', event: 'Sign Up' })).not.toContain('rename')
    const kept = edited({ kind: 'keep_event', event: 'heartbeat' })
    expect(kept).toContain('# asked for by Ann\n        - debug')
    expect(kept).not.toContain('heartbeat')
    expect(edited({ kind: 'keep_event', event: 'a' }, 'events: { drop: [a] }\npreset: ua\n')).toBe(
      'preset: ua\n',
    )
  })

  test('a time of one member takes the place of a day and a time of day', () => {
    const yaml = 'fields:\n  time: [day, clock]\n'
    expect(edited({ kind: 'set_field', field: 'timestamp', path: 'at' }, yaml)).toBe(
      'fields:\n  timestamp: at\n',
    )
    expect(edited({ kind: 'set_field', field: 'timestamp', path: null }, `preset: events\n${yaml}`)).toBe(
      'preset: events\n',
    )
  })

  test('an event whose key stands without quotes keeps its one key', () => {
    const yaml = 'events:\n  rename:\n    123: a # why\n    0x10: b\n'
    expect(edited({ kind: 'rename_event', event: '123', to: 'c' }, yaml)).toBe(yaml.replace('a #', 'c #'))
    expect(edited({ kind: 'reset_event', event: '16' }, yaml)).toBe(yaml.replace('    0x10: b\n', ''))
  })

  test('what an alias still stands for is not taken away', () => {
    const list = 'properties:\n  drop: &d [x]\nevents:\n  keep: *d\n'
    const refused = { code: 'input', message: expect.stringContaining('Unresolved alias') }
    const keep = () => edited({ kind: 'keep_property', property: 'x' }, list)
    expect(keep).toThrow(expect.objectContaining(refused))
    const name = 'properties:\n  drop: [&d x, y]\nevents:\n  drop: [*d]\n'
    expect(() => edited({ kind: 'keep_property', property: 'x' }, name)).toThrow(
      expect.objectContaining(refused),
    )
    expect(edited({ kind: 'keep_event', event: 'y' }, list)).toContain('keep: *d')
  })

  test('a question below the last line stays below it, and what is added comes after', () => {
    const yaml = 'fields:\n  timestamp: at\n  # ? is it the time?\ntime_format: DD.MM.YYYY\n'
    expect(edited({ kind: 'set_field', field: 'uuid', path: 'id' }, yaml)).toBe(
      yaml.replace('time?\n', 'time?\n  uuid: id\n'),
    )
  })

  test('comments below a key that holds nothing yet stay', () => {
    const after = edited({ kind: 'drop_event', event: 'a' }, 'events:\n  # is "b" a test?\npreset: ua\n')
    expect(after).toContain('# is "b" a test?')
    expect(parseMapping(after, 'm').mapping.events.drop).toEqual(['a'])
  })

  test('an event that the preset has renamed can be kept again by the name in the source', () => {
    const yaml = 'events:\n  drop:\n    - $pageview\n    - other\n'
    const after = editMapping(yaml, { kind: 'keep_event', event: 'view' }, () => '$pageview')
    expect(parseMapping(after, 'm').mapping.events.drop).toEqual(['other'])
  })

  test.each(['a: b # c', '- x', '\u0000\u202e"\'', 'no', '12345678901234567890', '*x', '{{', 'a\nb'])(
    'a hostile name comes back as it was: %j',
    (name) => {
      const dropped = edited({ kind: 'drop_event', event: name }, '')
      expect(parseMapping(dropped, 'm').mapping.events.drop).toEqual([name])
      const renamed = edited({ kind: 'rename_property', property: name, to: name }, dropped)
      expect(parseMapping(renamed, 'm').mapping.properties.rename).toEqual({ [name]: name })
    },
  )

  test('JSON stays JSON, with all digits of its numbers', () => {
    const json = '{"preset":"ua","properties":{"set":{"n":12345678901234567890}}}'
    const after = edited({ kind: 'rename_event', event: 'a', to: 'b' }, json)
    expect(JSON.parse(after)).toMatchObject({ preset: 'ua', events: { rename: { a: 'b' } } })
    expect(after).toContain('12345678901234567890')
  })

  test('text that is broken, or has another form there, is refused', () => {
    expect(() => edited({ kind: 'drop_event', event: 'a' }, 'events: [a')).toThrow("can't be read")
    expect(() => edited({ kind: 'drop_event', event: 'a' }, 'events:\n  drop: yes please\n')).toThrow(
      'events.drop has another form',
    )
    expect(() => edited({ kind: 'drop_event', event: 'a' }, '- a\n')).toThrow('has another form')
  })

  test.each([
    ['lists', '['.repeat(100_000)],
    ['compact lists', '- '.repeat(100_000)],
    ['maps', Array.from({ length: 500 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('%s in each other without end are refused, and do not end the process', (_, text) => {
    expect(() => edited({ kind: 'drop_event', event: 'a' }, text)).toThrow('nests too deep')
    expect(() => parseMapping(text, 'm')).toThrow('nests too deep')
  })
})
