/** A form with one file, as a browser sends it. */
import { isObject, type Json } from '../json.ts'
import type { Sent } from './answer.ts'

const BOUNDARY = 'plinth-scenario-6f1d2a'

/** The form's body and type: the file as the part `file`, and the values of a map as parts of their own. */
export function form({ name, text }: { readonly name: string; readonly text: string }, values: Json | undefined): Sent {
  const fields = isObject(values) ? Object.entries(values) : []
  const parts = fields.map(([key, value]) => part(`name="${key}"`, String(value)))
  const body = [
    ...parts,
    part(`name="file"; filename="${name}"\r\ncontent-type: application/octet-stream`, text),
    `--${BOUNDARY}--\r\n`,
  ].join('')
  const size = String(Buffer.byteLength(body))
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'content-length': size } }
}

function part(disposition: string, text: string): string {
  return `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${text}\r\n`
}
