/** What the writers of files need to know beside the report. */

/** The most that a file holds: nobody reads a PDF of ten thousand pages. */
export interface Bounds {
  readonly pdfRows: number
  /** The name of the application, for the head of a PDF. */
  readonly desk: string
}
