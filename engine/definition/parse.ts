/** Turns the text of one YAML file into a value that knows where every key and value of it stands. */
import { parseDocument as parseYaml, Schema, type YAMLError, type Document as YamlDocument } from 'yaml'
import { LIMITS } from '../limits.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import type { Source, Span } from '../text/source.ts'
import type { Document, Path } from './definition.ts'
import { type PlacedNode, readNode } from './node.ts'

/**
 * Reads one source. A value is given even beside complaints where the rest can still be judged (a key written
 * twice); after a syntax error there is none. Never throws for what the text holds.
 */
export function parseDocument(source: Source): Collected<Document<unknown>> {
  if (Buffer.byteLength(source.text) > LIMITS.sourceBytes) {
    const message = `The file is larger than ${LIMITS.sourceBytes} bytes`
    const hint = 'split it into several resource files'
    return { diagnostics: [{ code: 'source_too_large', message, span: { source, start: 0, end: 0 }, hint }] }
  }
  const document = readYaml(source)
  if ('code' in document) return { diagnostics: [document] }
  // One wrong indentation causes many errors; only the first one helps.
  const broken = document.errors.find((error) => error.code !== 'DUPLICATE_KEY')
  if (broken !== undefined) return { diagnostics: [syntaxError(source, broken)] }
  const diagnostics: Diagnostic[] = []
  const node = readNode(document.contents, source, diagnostics)
  if (node === undefined) return { diagnostics }
  return { value: Object.freeze({ value: node.value, place: placer(source, node) }), diagnostics }
}

/** What plain values mean, by YAML 1.2: made once, because making it for each file takes longer than a small file. */
const MEANINGS = new Schema({ schema: 'core', resolveKnownTags: true })

function readYaml(source: Source): YamlDocument.Parsed | Diagnostic {
  try {
    // Repeated keys are found while reading, where both places are known.
    return parseYaml(source.text, {
      prettyErrors: false,
      uniqueKeys: false,
      intAsBigInt: true,
      logLevel: 'error',
      version: '1.2',
      // A file may ask for another version by a directive.
      ...(/^%/m.test(source.text) ? {} : { schema: MEANINGS }),
    })
  } catch (error) {
    // The composer is recursive: thousands of open brackets exhaust its stack.
    if (!(error instanceof RangeError)) throw error
    const hint = `write at most ${LIMITS.sourceDepth} levels`
    return { code: 'too_complex', message: 'The file is nested too deeply', span: { source, start: 0, end: 1 }, hint }
  }
}

const HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BAD_INDENT: 'keys of one map start in the same column',
  MULTIPLE_DOCS: 'one file holds one document; remove the "---"',
  MISSING_CHAR: 'a bracket, brace or quote is not closed, or a ":" or "," is missing',
  BLOCK_AS_IMPLICIT_KEY: 'put the value in quotes if it contains ": "',
  MULTILINE_IMPLICIT_KEY: 'write ":" behind it, or put all of it into one line',
  UNEXPECTED_TOKEN: 'put the value in quotes if it starts with a special character',
}

/** What the parser says in words of its grammar. */
const MESSAGES: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'A second ": " stands in a line that has one',
  MULTILINE_IMPLICIT_KEY: 'A ":" is missing behind this key',
  BAD_INDENT: 'This line begins in another column than the keys beside it',
}

function syntaxError(source: Source, error: YAMLError): Diagnostic {
  const [start, end] = error.pos
  const [, closing] = /end with a ([\]}])$/.exec(error.message) ?? []
  const hint = closing === undefined ? HINTS[error.code] : HINTS.MISSING_CHAR
  return {
    code: 'yaml_syntax',
    message:
      closing === undefined ? (MESSAGES[error.code] ?? error.message) : `A "${closing}" is missing in front of this`,
    span: { source, start, end: Math.max(end, start + 1) },
    ...(hint === undefined ? {} : { hint }),
  }
}

function placer(source: Source, root: PlacedNode): Document<unknown>['place'] {
  return (path: Path, part = 'value'): Span => {
    let node = root
    for (const step of path) {
      const next = node.children?.get(step)
      if (next === undefined) break
      node = next
    }
    const range = part === 'key' && node.key !== undefined ? node.key : node.range
    return { source, start: range[0], end: range[1] }
  }
}
