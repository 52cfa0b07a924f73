import { describe, expect, test } from 'vitest'
import { EventLineReader, FileLineReader } from '../../src/delivery/line-reader.ts'
import { formatReject } from '../../src/record/reject.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { mapped, mapperForFiles } from '../helpers/mapper.ts'

const fileReader = () => new FileLineReader(mapperForFiles())

function read(reader: EventLineReader | FileLineReader, line: string, offset = 10, number = 2) {
  const bytes = Buffer.from(`..${line}..`)
  const refusal = reader.read(bytes, 2, bytes.length - 2, { offset, line: number })
  return { refusal, text: refusal ? undefined : reader.bytes.toString('utf8', reader.start, reader.end) }
}

describe('a dataset’s lines', () => {
  test('go as they are, byte for byte, whatever follows their head', () => {
    const line = eventLine(makeEvent(1)).replace('"n":1', '"n":1.0,"x":-0,"big":12345678901234567890')
    const reader = new EventLineReader()
    expect(read(reader, line).text).toBe(line)
    expect(reader.source).toEqual({ offset: 10, line: 2, file: undefined, record: undefined })
  })

  test('that are no event lines become rejects that name their part', () => {
    const reader = new EventLineReader()
    reader.begin('2024-01-01.ndjson')
    const { refusal } = read(reader, '{"event":"e"}')
    expect(refusal?.reason).toBe('not_an_event_line')
    expect(reader.reject(refusal!)).toMatchObject({
      line: 2,
      offset: 10,
      record: '{"event":"e"}',
      file: '2024-01-01.ndjson',
    })
  })
})

describe('a file’s lines', () => {
  test('that are event lines already are kept once', () => {
    const reader = fileReader()
    const line = eventLine(mapped(makeEvent(1)))
    expect(read(reader, line).text).toBe(line)
    expect(reader.source.record).toBeUndefined()
  })

  test('that are rejects give up their record, at the place it first had', () => {
    const record = '{"event":"e","distinct_id":"é","timestamp":"2024-01-01T00:00:00Z"}'
    const direct = read(fileReader(), record, 77, 5).text
    const reader = fileReader()
    const line = formatReject({
      line: 5,
      offset: 77,
      reason: 'r',
      message: 'm',
      record,
      file: 'a.csv',
    }).trimEnd()
    expect(direct).toContain('"distinct_id":"é"')
    expect(read(reader, line, 0, 1).text).toBe(direct)
    expect(reader.source).toMatchObject({ line: 5, offset: 77, file: 'a.csv' })
  })

  test('that are rejects and still bad are rejected again as what they first were', () => {
    const reader = fileReader()
    const was = { line: 5, offset: 77, reason: 'bad_json', message: 'm', record: '{"event":' }
    const { refusal } = read(reader, formatReject(was).trimEnd(), 0, 1)
    expect(reader.reject(refusal!)).toMatchObject({
      line: 5,
      offset: 77,
      reason: 'bad_json',
      record: '{"event":',
    })
    const lost = { ...was, reason: 'line_too_long', record: null }
    const again = read(reader, formatReject(lost).trimEnd(), 0, 1)
    expect(reader.reject(again.refusal!)).toEqual(lost)
  })

  test('hand out their notes once', () => {
    const reader = fileReader()
    read(
      reader,
      '{"event":"e","distinct_id":"d","timestamp":"2024-01-01T00:00:00Z","properties":{"id":12345678901234567890}}',
    )
    expect(reader.takeNotes()?.big_integers).toEqual({ id: 1 })
    read(reader, '{"event":"e","distinct_id":"d","timestamp":"2024-01-01T00:00:00Z"}')
    expect(reader.takeNotes()).toBeUndefined()
  })
})
