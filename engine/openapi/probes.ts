/** The paths for operators: no rate limit counts them, and they need no token. */
import { headerRefs, successSchema } from './answers.ts'
import { objectOf, schemaRef } from './schema.ts'

const TAG = 'Operation'
const PUBLIC = [{}]
const ID = headerRefs('X-Request-Id')

function answered(description: string, schema: object): object {
  return { description, headers: ID, content: { 'application/json': { schema } } }
}

function refused(description: string): object {
  return answered(description, schemaRef('Refusal'))
}

function state(word: string, checks: boolean): object {
  const words = { type: 'object', additionalProperties: { type: 'string' } }
  return successSchema(
    objectOf([
      { name: 'status', schema: { const: word }, required: true },
      ...(checks ? [{ name: 'checks', schema: words, required: true }] : []),
    ]),
  )
}

/** Path → operations. */
export const PROBES = {
  '/livez': {
    get: {
      operationId: 'getLivez',
      tags: [TAG],
      summary: 'Whether the process runs',
      security: PUBLIC,
      responses: { 200: answered('It runs.', state('alive', false)), 500: refused('It does not work.') },
    },
  },
  '/readyz': {
    get: {
      operationId: 'getReadyz',
      tags: [TAG],
      summary: 'Whether the server can answer requests',
      security: PUBLIC,
      responses: { 200: answered('It can.', state('ready', true)), 503: refused('It cannot.') },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      tags: [TAG],
      summary: 'Numbers for Prometheus',
      description: 'From this machine, or with the token for metrics as bearer token.',
      security: [{}, { metrics: [] }],
      responses: {
        200: { description: 'The numbers.', headers: ID, content: { 'text/plain': { schema: { type: 'string' } } } },
        401: refused('The token is wrong.'),
        404: refused('Without a token only this machine gets the numbers.'),
      },
    },
  },
} as const

export const PROBE_TAG = { name: TAG, description: 'For those who run the server.' }
