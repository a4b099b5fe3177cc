/** The webhooks plugin: sends changes to addresses that an admin names, signed, in order and at least once. */
import { definePlugin } from '../../engine/index.ts'
import { networksOf } from './address.ts'
import { check } from './check.ts'
import { deliver, tidy } from './deliver.ts'
import { integersOffer, offerWebhooks, ownersOffer } from './events.ts'
import { OPTIONS, optionsOf } from './options.ts'
import { PERMISSION } from './owner.ts'
import { routes } from './routes.ts'
import { queueChanges } from './webhook.ts'

export default definePlugin({
  name: 'webhooks',
  description: 'Sends what changes to addresses that an admin names: signed, in order for each record, at least once.',
  needs: ['timestamps', 'auth'],
  options: OPTIONS,
  keys: {
    webhooks: {
      description: 'Whether webhooks can hear of writes to this resource; false if absent.',
      schema: { type: 'boolean', default: false, examples: [true] },
    },
  },
  transforms: [offerWebhooks],
  rules: [
    ownersOffer,
    integersOffer,
    (_catalog, options) =>
      networksOf(optionsOf(options).networks) === undefined
        ? [
            {
              code: 'webhooks/network',
              message: 'An entry of "networks" of the plugin webhooks is no network',
              hint: 'write it as 10.1.0.0/16 or fd00:1::/64',
            },
          ]
        : [],
  ],
  permissions: { [PERMISSION]: 'May have changes sent to an address, as far as one may see them oneself.' },
  resources: ['webhooks', 'webhook_deliveries', 'webhook_attempts', 'de.words'].map(
    (name) => new URL(`./resources/${name}.yaml`, import.meta.url),
  ),
  hooks: { check: { transaction: false, run: check } },
  listeners: { queue: { description: 'Queues changes for the webhooks that ask for them.', run: queueChanges } },
  jobs: {
    deliver: {
      description: 'Sends what is due to webhooks.',
      every: '5 minutes',
      long: false,
      concurrency: 2,
      run: deliver,
    },
    tidy: {
      description: 'Gives up deliveries that have waited for days, and switches off webhooks at which nothing arrives.',
      every: '1 hour',
      run: tidy,
    },
  },
  routes,
})
