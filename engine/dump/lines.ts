/** The lines of a dump as they come ⇄, each within the memory of one line. */
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'

/** Gives line after line; rejects with a sentence where the file is absent, no dump, damaged or cut off. */
export async function* linesOf(file: string): AsyncGenerator<string, void> {
  const source = createReadStream(file)
  const text = createGunzip().setEncoding('utf8')
  source.once('error', (error) => text.destroy(error))
  source.pipe(text)
  let begun: string[] = []
  try {
    for await (const chunk of text as AsyncIterable<string>) {
      const parts = chunk.split('\n')
      for (const part of parts.slice(0, -1)) {
        yield begun.length === 0 ? part : [...begun, part].join('')
        begun = []
      }
      const rest = parts.at(-1) ?? ''
      if (rest !== '') begun.push(rest)
    }
  } catch (error) {
    throw toldOf(file, error)
  } finally {
    source.destroy()
  }
  if (begun.length > 0) throw new Error(`${file} is cut off.`)
}

function toldOf(file: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return new Error(`There is no file ${file}.`)
  if (code === 'Z_BUF_ERROR') return new Error(`${file} is cut off.`)
  if (code?.startsWith('Z_')) return new Error(`${file} is no dump of Plinth, or it is damaged: ${message}.`)
  return error
}
