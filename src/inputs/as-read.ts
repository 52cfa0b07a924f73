/**
 * The record that a reader hands over, as its file has it. A mapping file can give the columns of a table types, by which
 * cells become numbers and times: what a person is shown, and what is kept of a reject, is the text that was read.
 */
export class AsRead {
  /**
   * Makes the record with the text of its cells. Set during `line` of a sink, for a row whose cells were converted;
   * undefined for every other record, which is as its file has it.
   */
  row: (() => Buffer) | undefined
}
