/** The words of an application in one language, as a file `<language>.words.yaml` has them. */

/** Words of a field or relation. */
export interface PartWords {
  readonly label?: string
  readonly help?: string
  readonly description?: string
  /** By the words of an enum. */
  readonly values?: Readonly<Record<string, string>>
}

export interface ResourceWords {
  readonly label?: { readonly one?: string; readonly many?: string }
  readonly description?: string
  readonly fields?: Readonly<Record<string, PartWords>>
  readonly relations?: Readonly<Record<string, PartWords>>
  readonly views?: Readonly<Record<string, string>>
  readonly buttons?: Readonly<Record<string, string>>
  readonly rules?: Readonly<Record<string, string>>
  readonly moves?: Readonly<Record<string, string>>
  /** By the text as it is written. */
  readonly texts?: Readonly<Record<string, string>>
}

/** The words of one language; a field or relation that is a text in the file has it as its label. */
export interface Words {
  readonly name?: string
  readonly description?: string
  readonly fields?: Readonly<Record<string, string>>
  readonly resources?: Readonly<Record<string, ResourceWords>>
  /** By a sentence of answers, with names in braces for what differs. */
  readonly sentences?: Readonly<Record<string, string>>
  /** By plugin, and by the name that it gives to a text. */
  readonly plugins?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly texts?: Readonly<Record<string, string>>
}

/** A text as a key of `texts`: it may be written in several lines. */
export function textKey(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

const FILE = /(?:^|[\\/])([^\\/]+)\.words\.ya?ml$/i

/** The language of a file of words, by its name; undefined: the file is none. */
export function languageIn(file: string): string | undefined {
  return FILE.exec(file)?.[1]
}
