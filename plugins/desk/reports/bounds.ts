/** What the writers of files need in addition to the report. */

/** The most rows in a PDF: nobody reads ten thousand pages. */
export interface Bounds {
  readonly pdfRows: number
  /** The name of the application, for the head of a PDF. */
  readonly desk: string
}
