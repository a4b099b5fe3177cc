/** Finds words of earlier versions in the files of an application. */
import { nameOf } from '../../boot/extend-resource.ts'
import type { Document, Path } from '../../definition/definition.ts'
import { parseDocument } from '../../definition/parse.ts'
import { isObject, type Json } from '../../json.ts'
import type { Diagnostic } from '../../text/diagnostic.ts'
import type { Source, Span } from '../../text/source.ts'
import type { EarlierWord } from './words.ts'

/** An earlier word at its place in a file. */
export interface Earlier {
  readonly word: EarlierWord
  readonly file: string
  readonly path: Path
  readonly span: Span
  /** The word as it is written: the name of a hook, the key of an option, an item of a list. */
  readonly written: string
  /** The value of an option. */
  readonly value: Json
  /** The name by which a person answers for it: `tickets.reopen_on_comment`. */
  readonly name: string
}

/** The earlier words of some files: options in app.yaml, hooks of resources, and items at which there is a mistake. */
export function earlierIn(
  words: readonly EarlierWord[],
  app: Source,
  resources: readonly Source[],
  diagnostics: readonly Diagnostic[],
): readonly Earlier[] {
  return [
    ...optionsIn(words, app),
    ...resources.flatMap((source) => {
      const document = parseDocument(source).value
      const resource = document && nameOf(document)
      if (document === undefined || resource === undefined) return []
      const own = words.filter(({ of }) => of === undefined || of === resource)
      return [
        ...hooksIn(own, source.file, document, resource),
        ...mistakesIn(own, source.file, document, resource, diagnostics),
      ]
    }),
  ]
}

function optionsIn(words: readonly EarlierWord[], app: Source): readonly Earlier[] {
  const document = parseDocument(app).value
  if (document === undefined) return []
  return words.flatMap((word): readonly Earlier[] => {
    if (word.option === undefined) return []
    const path = ['plugins', ...word.option.split('.')]
    const value = valueAt(document.value, path)
    if (value === undefined) return []
    return [
      {
        word,
        file: app.file,
        path,
        span: document.place(path, 'key'),
        written: path.at(-1)!,
        value,
        name: word.option,
      },
    ]
  })
}

function hooksIn(
  words: readonly EarlierWord[],
  file: string,
  document: Document<unknown>,
  resource: string,
): readonly Earlier[] {
  const hooks = valueAt(document.value, ['hooks'])
  if (!isObject(hooks)) return []
  return Object.entries(hooks).flatMap(([action, names]) =>
    (Array.isArray(names) ? names : []).flatMap((written, at): readonly Earlier[] => {
      const word = words.find(({ hook }) => hook === written)
      const path = ['hooks', action, at]
      if (word === undefined || typeof written !== 'string') return []
      return [{ word, file, path, span: document.place(path), written, value: written, name: `${resource}.${written}` }]
    }),
  )
}

function mistakesIn(
  words: readonly EarlierWord[],
  file: string,
  document: Document<unknown>,
  resource: string,
  diagnostics: readonly Diagnostic[],
): readonly Earlier[] {
  const here = diagnostics.filter(({ span }) => span?.source.file === file)
  return words.flatMap((word) => {
    const mistake = here.find(({ code }) => code === word.mistake)
    if (mistake?.span !== undefined && word.in === undefined)
      return [
        { word, file, path: [], span: mistake.span, written: '', value: null, name: `${resource}.${word.mistake}` },
      ]
    const list = word.in === undefined ? undefined : valueAt(document.value, [word.in])
    if (word.mistake === undefined || word.in === undefined || !Array.isArray(list)) return []
    return list.flatMap((written, at): readonly Earlier[] => {
      const path = [word.in!, at]
      const span = document.place(path)
      const isMistaken = here.some((one) => one.code === word.mistake && one.span?.start === span.start)
      if (!isMistaken || typeof written !== 'string') return []
      return [{ word, file, path, span, written, value: written, name: `${resource}.${written}` }]
    })
  })
}

function valueAt(value: unknown, path: Path): Json | undefined {
  let found = value as Json | undefined
  for (const key of path) found = isObject(found) ? found[String(key)] : undefined
  return found
}

/** The diagnostics, where one is about an earlier word with what took its place. */
export function withEarlier(diagnostics: readonly Diagnostic[], earlier: readonly Earlier[]): readonly Diagnostic[] {
  return diagnostics.map((one) => {
    const found = earlier.find(({ file, span }) => one.span?.source.file === file && one.span.start === span.start)
    if (found === undefined || found.word.mistake !== undefined) return one
    const { expected: _, ...rest } = one
    return {
      ...rest,
      hint: `it went with version ${found.word.version}: ${found.word.says}; \`plinth upgrade\` writes it`,
    }
  })
}
