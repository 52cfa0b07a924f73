import { expect, test } from 'vitest'
import { eventIn } from '../../src/checks/event-in.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'

const LINE = eventLine(makeEvent(1))

test('the event of a line that transform wrote', () => {
  expect(eventIn(LINE)).toMatchObject({ event: makeEvent(1).event, properties: { n: 1 } })
})

test.each([
  ['it is cut', LINE.slice(0, -5)],
  ['its properties are null', LINE.replace(/"properties":.*$/, '"properties":null}')],
  ['its properties are a list', LINE.replace(/"properties":.*$/, '"properties":[]}')],
])('a line that somebody made by hand is none: %s', (_, line) => {
  expect(eventIn(line)).toBeUndefined()
})
