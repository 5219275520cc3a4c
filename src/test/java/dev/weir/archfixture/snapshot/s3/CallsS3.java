package dev.weir.archfixture.snapshot.s3;

import software.amazon.awssdk.services.s3.S3Client;

record CallsS3(S3Client client) {}
