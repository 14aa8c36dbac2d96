package temporal

import (
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

// plain is the size in bytes up to which payloads stay readable in the cluster's web page.
const plain = 4 << 10

// packing compresses large payloads: a run of 256 KB fits into the 64 KB that a payload should stay under.
type packing struct{ zlib converter.PayloadCodec }

// payloads is how everything is written into histories.
var payloads = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), packing{converter.NewZlibCodec(converter.ZlibCodecOptions{})})

// Encode compresses what is large.
func (p packing) Encode(in []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(in))
	for i, one := range in {
		out[i] = one
		if len(one.Data) > plain {
			packed, err := p.zlib.Encode([]*commonpb.Payload{one})
			if err != nil {
				return nil, err
			}
			out[i] = packed[0]
		}
	}
	return out, nil
}

// Decode leaves alone what was not compressed.
func (p packing) Decode(in []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return p.zlib.Decode(in)
}
