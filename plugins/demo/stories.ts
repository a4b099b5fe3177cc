/** What the tickets of the demo are about: each story with its words, its place in the desk, and its end. */

export interface Story {
  readonly subject: string
  readonly details: string
  readonly category: string
  readonly sub?: string
  readonly department: string
  readonly type: string
  readonly priority: 'Low' | 'Medium' | 'High' | 'Critical'
  readonly tags: readonly string[]
  /** What is said on the ticket, in turns: the agent first. */
  readonly turns: readonly string[]
  readonly internal?: string
}

/** `{n}` is a long number, `{few}` a small one, `{city}` and `{company}` are the customer's. */
export const STORIES: readonly Story[] = [
  {
    subject: 'Cannot sign in after changing my phone',
    details:
      'I got a new phone yesterday and since then the app says my code is wrong. I tried it {few} times and now I am locked out.',
    category: 'Account',
    sub: 'Password and sign-in',
    department: 'Customer Support',
    type: 'Incident',
    priority: 'High',
    tags: ['sign-in', 'mobile'],
    turns: [
      'Thank you for writing. I have removed the old phone from your account; please sign in once more and scan the new code.',
      'That worked, thank you!',
    ],
    internal: 'Identity checked by the last invoice number.',
  },
  {
    subject: 'Invoice {n} shows the wrong address',
    details:
      'Our office in {city} moved in spring, but invoice {n} still carries the old address. Accounting cannot book it like this.',
    category: 'Billing',
    sub: 'Invoices',
    department: 'Billing',
    type: 'Problem',
    priority: 'Medium',
    tags: ['invoice', 'address'],
    turns: [
      'I have corrected the address and sent you a new copy of the invoice. Future ones will have it as well.',
      'Received, all good now.',
    ],
  },
  {
    subject: 'Refund for order {n}',
    details: 'We returned order {n} two weeks ago and the refund has not arrived. Could you look into it?',
    category: 'Billing',
    sub: 'Refunds',
    department: 'Billing',
    type: 'Question',
    priority: 'Medium',
    tags: ['refund'],
    turns: [
      'The return was booked this morning; the amount will be on your account within three working days.',
      'Thanks, I will keep an eye on it.',
      'Please write again if it is not there by then.',
    ],
    internal: 'Warehouse scanned the parcel late; nothing for the customer to do.',
  },
  {
    subject: 'Export stops at {n} rows',
    details:
      'When I export the monthly report, the file ends after {n} rows although there are many more. No error is shown.',
    category: 'Technical',
    sub: 'Bug report',
    department: 'Technical Support',
    type: 'Problem',
    priority: 'High',
    tags: ['export', 'bug'],
    turns: [
      'I can reproduce it. As a workaround, please export by week until the correction is out.',
      'By week works, but it is tedious.',
      'The correction was released tonight. Could you try the whole month again?',
    ],
    internal: 'Same cause as the time-out seen by two other customers; linked in the release notes.',
  },
  {
    subject: 'Webhook is called twice',
    details:
      'Since the update on Monday our endpoint receives every event twice, a few seconds apart. Our own log shows {few} duplicates.',
    category: 'Technical',
    sub: 'Integration',
    department: 'Technical Support',
    type: 'Incident',
    priority: 'Critical',
    tags: ['webhook', 'integration'],
    turns: [
      'Your endpoint answers after eleven seconds and we repeat after ten. Could you acknowledge first and work afterwards?',
      'That was it, thank you. We moved the work into a queue.',
    ],
  },
  {
    subject: 'Parcel to {city} not delivered',
    details: 'Tracking says the parcel was delivered on Thursday, but nobody at {company} has seen it.',
    category: 'Shipping',
    department: 'Customer Support',
    type: 'Incident',
    priority: 'High',
    tags: ['delivery'],
    turns: [
      'I am sorry. I have opened an inquiry with the carrier and will write as soon as they answer.',
      'The neighbour had it! Please close the inquiry.',
    ],
  },
  {
    subject: 'Return label for {few} items',
    details: 'We would like to send back {few} items of our last order, unopened. How do we get a label?',
    category: 'Shipping',
    sub: 'Returns',
    department: 'Customer Support',
    type: 'Question',
    priority: 'Low',
    tags: ['return'],
    turns: ['The label is attached to the mail I have just sent you. It is valid for fourteen days.', 'Got it.'],
  },
  {
    subject: 'Offer for {few} more seats',
    details: '{company} is growing: we need {few} more seats from next month. Is there a discount at this size?',
    category: 'General',
    department: 'Sales',
    type: 'Question',
    priority: 'Medium',
    tags: ['offer', 'seats'],
    turns: [
      'Congratulations! The offer is on its way; the next level of discount begins at fifty seats.',
      'We will take it.',
    ],
  },
  {
    subject: 'Dark mode for the reports page',
    details: 'Everything has a dark mode except the reports page, which is where I spend my evenings. Please add it.',
    category: 'General',
    department: 'Technical Support',
    type: 'Feature request',
    priority: 'Low',
    tags: ['design', 'reports'],
    turns: ['I have added your voice to the request; {few} others are waiting for it as well.'],
  },
  {
    subject: 'Printer on the second floor prints blank pages',
    details: 'The printer in our {city} office prints blank pages since this morning. Other printers work.',
    category: 'Technical',
    department: 'Technical Support',
    type: 'Incident',
    priority: 'Medium',
    tags: ['printer', 'hardware'],
    turns: [
      'Please take out the cartridge, remove the orange strip and put it back.',
      'There was indeed a strip. Thank you, and sorry!',
    ],
  },
  {
    subject: 'New colleague needs access',
    details: 'A colleague starts at {company} on Monday and needs the same access as mine, without billing.',
    category: 'Account',
    department: 'Customer Support',
    type: 'Task',
    priority: 'Medium',
    tags: ['access', 'onboarding'],
    turns: ['The account is ready; the invitation goes out on Monday morning.', 'Perfect.'],
  },
  {
    subject: 'Charged twice in one month',
    details: 'Our card was charged twice, on the 3rd and on the 5th, with the same amount and the reference {n}.',
    category: 'Billing',
    sub: 'Refunds',
    department: 'Billing',
    type: 'Incident',
    priority: 'Critical',
    tags: ['payment', 'refund'],
    turns: [
      'The second charge was a mistake on our side and has been taken back. I am sorry for the trouble.',
      'I can see it, thank you for the quick help.',
    ],
    internal: 'The payment provider retried after a time-out; reported to them.',
  },
]
