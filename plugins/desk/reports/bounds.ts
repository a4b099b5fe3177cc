/** What the writers of files need in addition to the report. */

/** The most rows in a PDF: nobody reads ten thousand pages. */
export interface Bounds {
  readonly pdfRows: number
  /** The name of the application, for the head of a PDF. */
  readonly desk: string
  /** The files of fonts that the application brings. */
  readonly fonts: readonly string[]
  /** Gets what a PDF could not draw, in words. */
  readonly notDrawn: (characters: string) => void
}
