import { connect, Empty } from 'nats';
import { Client } from 'pg';

/** The stations of an order without what is decided there: told of a commit, read, put on a stream; asked, committed. */
const [nats = '', postgres = ''] = process.argv.slice(2);
const nc = await connect({ servers: nats });
const [told, asked] = [new Client({ connectionString: postgres }), new Client({ connectionString: postgres })];
await Promise.all([told.connect(), asked.connect()]);
told.on('notification', () => {
  void told
    .query({ name: 'read', text: 'select n from bare_hop' })
    .then(({ rows }) => nc.publish('hops.ticket', JSON.stringify(rows[0])));
});
nc.subscribe('hops.claim', {
  callback: (_err, msg) => {
    void asked.query({ name: 'claim', text: 'update bare_hop set n = n + 1' }).then(() => msg.respond(Empty));
  },
});
await told.query('listen bare_hop');
await nc.flush();
console.log('ready');
