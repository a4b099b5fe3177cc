/** What the writers of files need to know beside the report. */

/** What a file may leave out: a PDF of ten thousand pages is of no use to anybody. */
export interface Bounds {
  readonly pdfRows: number
  /** Whose desk it is, for the head of a PDF. */
  readonly desk: string
}
